import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ExperimentDetail, ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { type ExperimentStatus, isFinished } from '@mqttlab/shared/domain/runs/statuses';
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
import { useNavigate } from 'react-router';
import { showProblem } from '../../api/show-problem.tsx';
import { answersExperiment, useCall } from '../../api/use-call.ts';
import { experimentCode } from '../../ui/format.ts';
import { DangerButton } from '../../ui/input/buttons.tsx';
import { useRefusal } from '../../ui/shell/shell-status.tsx';

interface Offer {
  action: ExperimentAction;
  label: string;
  /** Shorter label for the action bar on phones. */
  shortLabel?: string;
  /** Confirmation message. */
  done: string;
  danger?: boolean;
  primary?: boolean;
}

const pause: Offer = { action: 'pause', label: 'Pause', done: 'Pauses after this run' };
const resume: Offer = { action: 'resume', label: 'Resume', done: 'Resumed', primary: true };
const stop: Offer = {
  action: 'stop-after-run',
  label: 'Stop after this run',
  done: 'Stops after this run; every finished run is kept',
};
const cancel: Offer = {
  action: 'cancel',
  label: 'Cancel',
  done: 'Cancelled; every finished run is kept',
  danger: true,
};
const retry: Offer = { action: 'retry-failed', label: 'Retry failed', done: 'Failed trials run again' };
const rest: Offer = {
  action: 'retry-failed',
  label: 'Run remaining trials',
  shortLabel: 'Run rest',
  done: 'Running the remaining trials',
};
const clone: Offer = { action: 'clone', label: 'Clone', done: 'Cloned into a new draft' };

const offers: Readonly<Record<ExperimentStatus, readonly Offer[]>> = {
  draft: [],
  queued: [cancel],
  running: [pause, stop, cancel],
  pausing: [{ ...resume, label: 'Keep running', shortLabel: 'Keep running', primary: false }, stop, cancel],
  paused: [
    resume,
    { ...stop, label: 'Stop here', shortLabel: 'Stop', done: 'Stopped; every finished run is kept' },
    cancel,
  ],
  stopping: [cancel],
  done: [clone],
  stopped: [clone],
  cancelled: [clone],
};

type Offered = Pick<ExperimentSummary, 'status' | 'progress'> & Partial<Pick<ExperimentSummary, 'imported'>>;

/** Returns the available actions of an experiment, in the order of the page head. */
export function offersFor({ status, progress, imported }: Offered): Offer[] {
  // The settings of a foreign experiment are unknown, so it cannot run here.
  if (imported?.foreign) return [];
  // An imported experiment cannot change; only a clone runs here.
  if (imported) return [{ ...clone, label: 'Run this on my testbed', shortLabel: 'Run here' }];
  const isAtRest = isFinished(status) || status === 'paused';
  if (isAtRest && progress.failed > 0) return [retry, ...offers[status]];
  if (isFinished(status) && progress.done < progress.trials) return [rest, ...offers[status]];
  return [...offers[status]];
}

/** Executes an action. Errors show the cause and a remedy. */
export function useExperimentActions(id: number) {
  const navigate = useNavigate();
  const mutation = useCall('POST /experiments/{id}/actions/{action}', answersExperiment);
  return {
    act: (offer: Offer) =>
      mutation.mutate(
        { params: { id, action: offer.action } },
        {
          onSuccess: (experiment) => {
            notifications.show({ message: `${experimentCode(id)}: ${offer.done}`, withBorder: true });
            if (offer.action === 'clone') navigate(`/experiments/${experiment.id}/edit`);
          },
          onError: (error) => showProblem(`${experimentCode(id)}: ${offer.label} failed`, error),
        },
      ),
    /** The pending action. */
    pending: mutation.isPending ? mutation.variables.params.action : null,
  };
}

const icons: Readonly<Partial<Record<ExperimentAction, Icon>>> = {
  pause: IconPlayerPause,
  resume: IconPlayerPlay,
  'stop-after-run': IconPlayerSkipForward,
  cancel: IconBan,
  'retry-failed': IconRefresh,
  clone: IconCopy,
};

type OfferButtonsProps = {
  experiment: ExperimentDetail;
  actions: ReturnType<typeof useExperimentActions>;
  /** Shorter label for the action bar on phones. */
  isShort?: boolean;
};

/**
 * Buttons for the available actions of the experiment; the pending action is marked. No action is available
 * while the server is unreachable.
 */
export function OfferButtons({ experiment, actions, isShort }: OfferButtonsProps): ReactElement {
  const refusal = useRefusal();
  return (
    <>
      {offersFor(experiment).map((offer) => (
        <Fragment key={offer.action}>
          <OfferButton offer={offer} actions={actions} isShort={isShort ?? false} refusal={refusal} />
        </Fragment>
      ))}
    </>
  );
}

type OfferButtonProps = {
  offer: Offer;
  actions: OfferButtonsProps['actions'];
  isShort: boolean;
  /** Why no action is possible now. */
  refusal: string | null;
};

function OfferButton({ offer, actions, isShort, refusal }: OfferButtonProps): ReactElement {
  const OfferIcon = icons[offer.action];
  const words = isShort ? (offer.shortLabel ?? offer.label) : offer.label;
  const props = {
    leftSection: OfferIcon && <OfferIcon size={16} stroke={2} aria-hidden />,
    loading: actions.pending === offer.action,
    disabled: refusal !== null || (actions.pending !== null && actions.pending !== offer.action),
    ...(refusal === null ? {} : { title: refusal }),
    onClick: () => actions.act(offer),
  };
  if (offer.danger) return <DangerButton {...props}>{words}</DangerButton>;
  return (
    <Button {...props} variant={offer.primary ? 'filled' : 'default'}>
      {words}
    </Button>
  );
}
