import { Button, Checkbox, Modal } from '@mantine/core';
import type { PacketChoice } from '@mqttlab/shared/domain/runs/capture';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { CreateShare, PreviewShare, Share, SharePreview } from '@mqttlab/shared/messages/shares';
import { IconAlertTriangle, IconLink, IconX } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { FormError } from '../api/api-error-state.tsx';
import { api } from '../api/client.ts';
import { useCreateShare } from '../api/mutations.ts';
import { useShares } from '../api/queries.ts';
import { IconButton } from '../ui/input/buttons.tsx';
import { Choice } from '../ui/input/choice.tsx';
import { fieldProblemOf, TextFields } from '../ui/input/field.tsx';
import { CopyField } from './copy-field.tsx';
import { PacketChoiceBoxes } from './packet-choice.tsx';
import styles from './share-dialog.module.css';
import { type ExpiryChoice, expiryMs, expiryWords, opensOnlyHere, sharesOf } from './share-links.ts';
import { ShareList } from './share-list.tsx';
import { limitFields, WhatItShows } from './share-options.tsx';

type WithoutOptions<T> = T extends unknown
  ? Omit<T, 'expiresAt' | 'details' | 'packets' | 'password' | 'maxOpenings' | 'frozen' | 'image'>
  : never;
export type ShareSubject = WithoutOptions<CreateShare>;

export type ShareDialogProps = {
  opened: boolean;
  onClose: () => void;
  subject: ShareSubject;
  /** What is shared, in the dialog's title: "Run 27". */
  name: string;
  /** How the server titles links to it, where that is not its name: "Run 3 of Cipher cost". */
  linkTitle?: string;
};

/** Makes a read-only link to a run, an experiment, a view or a study run, and lists and revokes the links there are. */
export function ShareDialog({
  opened,
  onClose,
  subject,
  name,
  linkTitle = name,
}: ShareDialogProps): ReactElement {
  return (
    <Modal.Root opened={opened} onClose={onClose} size={520} centered>
      <Modal.Overlay />
      <Modal.Content aria-label={`Share ${name}`} radius="md">
        <Modal.Body className={styles.body}>
          <div className={styles.head}>
            <h2>Share {name}</h2>
            <IconButton icon={IconX} label="Close" onClick={onClose} />
          </div>
          {opened && <ShareBody subject={subject} linkTitle={linkTitle} />}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

type ShareBodyProps = { subject: ShareSubject; linkTitle: string };

function ShareBody({ subject, linkTitle }: ShareBodyProps): ReactElement {
  const create = useCreateShare();
  const shares = useShares();
  const [expiry, setExpiry] = useState<ExpiryChoice>('never');
  const [details, setDetails] = useState(false);
  const [packets, setPackets] = useState<PacketChoice>('none');
  const [frozen, setFrozen] = useState(false);
  const [limits, setLimits] = useState({ password: '', maxOpenings: '' });
  // Only the link to a run shows packets.
  const shown = { details, ...(packets === 'none' ? {} : { packets }) };
  const preview = useQuery<SharePreview, ApiError>({
    queryKey: ['share preview', subject, details, packets],
    queryFn: () => api.previewShare({ ...subject, ...shown } as PreviewShare),
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  const [made, setMade] = useState<readonly Share[]>([]);
  const makeLink = async () => {
    const afterMs = expiryMs[expiry];
    const { password, maxOpenings } = limits;
    const isForAll = password === '' && maxOpenings === '';
    const { paintPreview } = await import('./paint-preview.ts');
    const image = isForAll ? await paintPreview(linkTitle, preview.data?.headline ?? null) : null;
    const options = {
      ...(afterMs === null ? {} : { expiresAt: Date.now() + afterMs }),
      ...(password === '' ? {} : { password }),
      ...(maxOpenings === '' ? {} : { maxOpenings: Number(maxOpenings) }),
      ...(image === null ? {} : { image }),
    };
    create.mutate({ ...subject, ...options, ...shown, frozen } as CreateShare, {
      onSuccess: (share) => setMade((links) => [...links, share]),
    });
  };
  const latest = made.at(-1);
  return (
    <>
      <p className={styles.words}>
        Anyone with the link can read, and nothing else. It stops working when the experiment is deleted.
      </p>
      <div className={styles.make}>
        <Choice label="The link expires" value={expiry} words={expiryWords} onChange={setExpiry} />
        <Button
          leftSection={<IconLink size={16} stroke={2} aria-hidden />}
          loading={create.isPending}
          onClick={() => void makeLink()}
          data-autofocus
        >
          Create link
        </Button>
      </div>
      <Checkbox
        checked={details}
        onChange={(event) => setDetails(event.currentTarget.checked)}
        label="Show addresses, processes, paths and full logs too"
        description="Without them a link shows figures, design, negotiated parameters and versions."
      />
      {preview.data && (
        <PacketChoiceBoxes kept={preview.data.packets} value={packets} onChange={setPackets} />
      )}
      <Checkbox
        checked={frozen}
        onChange={(event) => setFrozen(event.currentTarget.checked)}
        label="Freeze what there is now"
        description="Without it the link is live while something runs, and frozen once everything has settled."
      />
      <div className={styles.limits}>
        <TextFields
          of={limitFields}
          form={limits}
          problems={{
            password: fieldProblemOf(create.error, 'password'),
            maxOpenings: fieldProblemOf(create.error, 'maxOpenings'),
          }}
          onChange={(change) => {
            create.reset();
            setLimits((before) => ({ ...before, ...change }));
          }}
        />
      </div>
      <WhatItShows preview={preview.data} error={preview.error} />
      <FormError error={create.error} lost="No link was made." onRetry={() => void makeLink()} />
      {latest && (
        <>
          <CopyField
            key={latest.token}
            label="Address of the link"
            text={`${window.location.origin}${latest.path}`}
            atOnce
          />
          {opensOnlyHere(window.location.hostname) && (
            <p className={styles.warning}>
              <IconAlertTriangle size={16} stroke={2} aria-hidden /> This address opens only on this machine.
              For others, open mqttlab under an address of its network (HOST) and create the link there.
            </p>
          )}
        </>
      )}
      <ShareList
        shares={shares.data && sharesOf(shares.data, { kind: subject.kind, title: linkTitle }, made)}
        error={shares.error}
        onRetry={() => void shares.refetch()}
      />
    </>
  );
}
