import { Button } from '@mantine/core';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { ExperimentAction } from '@mqttlab/shared/messages/http';
import {
  type Icon,
  IconBan,
  IconCopy,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerSkipForward,
  IconRefresh,
} from '@tabler/icons-react';
import { Fragment, type ReactElement } from 'react';
import { DangerButton } from '../../ui/input/buttons.tsx';
import { type Offer, offersFor } from './experiment-offers.ts';
import type { ExperimentActions } from './use-experiment-actions.ts';

const icons: Readonly<Partial<Record<ExperimentAction, Icon>>> = {
  pause: IconPlayerPause,
  resume: IconPlayerPlay,
  'stop-after-run': IconPlayerSkipForward,
  cancel: IconBan,
  'retry-failed': IconRefresh,
  clone: IconCopy,
};

export type OfferButtonsProps = {
  experiment: ExperimentDetail;
  actions: ExperimentActions;
  /** Shorter words for the phone's action bar. */
  isShort?: boolean;
};

/** What can be done to the experiment now; the one under way shows that it is. */
export function OfferButtons({ experiment, actions, isShort }: OfferButtonsProps): ReactElement {
  return (
    <>
      {offersFor(experiment).map((offer) => (
        <Fragment key={offer.action}>
          <OfferButton offer={offer} actions={actions} isShort={isShort ?? false} />
        </Fragment>
      ))}
    </>
  );
}

type OfferButtonProps = { offer: Offer; actions: ExperimentActions; isShort: boolean };

function OfferButton({ offer, actions, isShort }: OfferButtonProps): ReactElement {
  const OfferIcon = icons[offer.action];
  const words = isShort ? (offer.shortLabel ?? offer.label) : offer.label;
  const props = {
    leftSection: OfferIcon && <OfferIcon size={16} stroke={2} aria-hidden />,
    loading: actions.pending === offer.action,
    disabled: actions.pending !== null && actions.pending !== offer.action,
    onClick: () => actions.act(offer),
  };
  if (offer.danger) return <DangerButton {...props}>{words}</DangerButton>;
  return (
    <Button {...props} variant={offer.primary ? 'filled' : 'default'}>
      {words}
    </Button>
  );
}
