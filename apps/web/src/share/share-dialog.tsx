import { Button, Checkbox, Modal } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { PacketChoice } from '@mqttlab/shared/domain/runs/capture';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { CreateShare, PreviewShare, Share, SharePreview } from '@mqttlab/shared/messages/shares';
import { IconAlertTriangle, IconLink, IconLinkOff, IconX } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { ApiErrorState, FormError } from '../api/api-error-state.tsx';
import { useApi } from '../api/use-api.ts';
import { formErrorsOf } from '../api/use-api-form.tsx';
import { useCall } from '../api/use-call.ts';
import { formatDateTime } from '../ui/format.ts';
import { IconButton } from '../ui/input/buttons.tsx';
import { Choice } from '../ui/input/choice.tsx';
import { TextFields, type TextSpec } from '../ui/input/field.tsx';
import { documentationFolder } from '../ui/shell/help-link.tsx';
import { TableSkeleton } from '../ui/skeletons.tsx';
import { CopyField } from './copy-field.tsx';
import { PacketChoiceBoxes } from './packet-choice.tsx';
import styles from './share-dialog.module.css';
import {
  type ExpiryChoice,
  expiryMs,
  expiryWords,
  openingWords,
  opensOnlyHere,
  sharesOf,
} from './share-links.ts';
import shareListStyles from './share-list.module.css';
import { usePublicOrigin } from './use-public-origin.ts';
import { useRevokeShare } from './use-revoke-share.ts';

type WithoutOptions<T> = T extends unknown
  ? Omit<T, 'expiresAt' | 'details' | 'packets' | 'password' | 'maxOpenings' | 'frozen' | 'image'>
  : never;
export type ShareSubject = WithoutOptions<CreateShare>;

export type ShareDialogProps = {
  opened: boolean;
  onClose: () => void;
  subject: ShareSubject;
  /** Name in the dialog's title: "Run 27". */
  name: string;
  /** Title of the links on the server, if it differs from the name: "Run 3 of Cipher cost". */
  linkTitle?: string;
};

/** Creates a read-only link to a run, an experiment, a view or a study run. Lists and revokes existing links. */
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
  const create = useCall('POST /shares', { changes: ['GET /shares'] });
  const shares = useApi('GET /shares');
  const [expiry, setExpiry] = useState<ExpiryChoice>('never');
  const [details, setDetails] = useState(false);
  const [packets, setPackets] = useState<PacketChoice>('none');
  const [frozen, setFrozen] = useState(false);
  // Only links to runs include packets.
  const shown = { details, ...(packets === 'none' ? {} : { packets }) };
  const preview = useApi(
    'POST /shares/preview',
    { body: { ...subject, ...shown } as PreviewShare },
    { staleTime: 0, placeholderData: keepPreviousData },
  );
  const [made, setMade] = useState<readonly Share[]>([]);
  const form = useForm({
    initialValues: { password: '', maxOpenings: '' },
    onValuesChange: () => create.reset(),
  });
  const makeLink = async () => {
    const afterMs = expiryMs[expiry];
    const { password, maxOpenings } = form.values;
    const isForAll = password === '' && maxOpenings === '';
    const { paintPreview } = await import('./paint-preview.ts');
    const image = isForAll ? await paintPreview(linkTitle, preview.data?.headline ?? null) : null;
    const options = {
      ...(afterMs === null ? {} : { expiresAt: Date.now() + afterMs }),
      ...(password === '' ? {} : { password }),
      ...(maxOpenings === '' ? {} : { maxOpenings: Number(maxOpenings) }),
      ...(image === null ? {} : { image }),
    };
    const body = { ...subject, ...options, ...shown, frozen } as CreateShare;
    create.mutate(
      { body },
      {
        onSuccess: (share) => setMade((links) => [...links, share]),
        onError: (error) => form.setErrors(formErrorsOf(error)),
      },
    );
  };
  const latest = made.at(-1);
  const origin = usePublicOrigin();
  return (
    <>
      <p className={styles.words}>
        Anyone with the link has read-only access. The link stops working when the experiment is deleted.
      </p>
      <Choice label="The link expires" value={expiry} words={expiryWords} onChange={setExpiry} />
      <Checkbox
        checked={details}
        onChange={(event) => setDetails(event.currentTarget.checked)}
        label="Include addresses, processes, paths and full logs"
        description="Otherwise the link shows figures, design, negotiated parameters and versions."
      />
      {preview.data && (
        <PacketChoiceBoxes kept={preview.data.packets} value={packets} onChange={setPackets} />
      )}
      <Checkbox
        checked={frozen}
        onChange={(event) => setFrozen(event.currentTarget.checked)}
        label="Freeze current results"
        description="Otherwise the link is live during runs and is frozen when all runs have finished."
      />
      <div className={styles.limits}>
        <TextFields of={limitFields} form={form} />
      </div>
      <Button
        leftSection={<IconLink size={16} stroke={2} aria-hidden />}
        loading={create.isPending}
        onClick={() => void makeLink()}
        data-autofocus
      >
        Create link
      </Button>
      <WhatItShows preview={preview.data} error={preview.error} />
      <FormError error={create.error} lost="No link was created." onRetry={() => void makeLink()} />
      {latest && (
        <>
          <CopyField key={latest.token} label="Address of the link" text={origin + latest.path} atOnce />
          {opensOnlyHere(origin) && (
            <p className={styles.warning}>
              <IconAlertTriangle size={16} stroke={2} aria-hidden /> This address opens only on this machine.
              To share it with others, start mqttlab with HOST set to a network address of this machine, or
              with MQTTLAB_PUBLIC_URL behind a proxy.{' '}
              <a
                className="link"
                href={`${documentationFolder}how-to/accounts.html`}
                target="_blank"
                rel="noopener"
              >
                Set up accounts and HTTPS
              </a>
            </p>
          )}
        </>
      )}
      <ShareList
        shares={shares.data && sharesOf(shares.data.items, { kind: subject.kind, title: linkTitle }, made)}
        error={shares.error}
        onRetry={() => void shares.refetch()}
      />
    </>
  );
}

/** Optional password and maximum number of openings of a link. */
const limitFields: readonly TextSpec<'password' | 'maxOpenings'>[] = [
  {
    name: 'password',
    label: 'Password',
    type: 'password',
    placeholder: 'none',
    hint: 'At least 8 characters.',
  },
  {
    name: 'maxOpenings',
    label: 'Opening limit',
    inputMode: 'numeric',
    placeholder: 'no limit',
    hint: 'Reloads and further reading within twelve hours count as one opening.',
  },
];

type WhatItShowsProps = { preview: SharePreview | undefined; error: ApiError | null };

/** Describes the actual content of the link, with counts, before the link is created. */
function WhatItShows({ preview, error }: WhatItShowsProps): ReactElement {
  if (error) return <ApiErrorState error={error} lost="No link was created." />;
  const lists = [
    ['It shows', preview?.shows ?? []],
    ['It does not show', preview?.hides ?? []],
  ] as const;
  return (
    <section aria-label="What this link shows" className={styles.shows} aria-busy={preview === undefined}>
      {lists.map(
        ([head, lines]) =>
          lines.length > 0 && (
            <div key={head}>
              <h3>{head}</h3>
              <ul>
                {lines.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </div>
          ),
      )}
    </section>
  );
}

type ShareListProps = {
  /** undefined while the links are loading. */
  shares: readonly Share[] | undefined;
  error: unknown;
  onRetry: () => void;
};

/** Active links with a revoke button. */
function ShareList({ shares, error, onRetry }: ShareListProps): ReactElement {
  return (
    <section aria-label="Links">
      <h3 className={shareListStyles.head}>Active links</h3>
      {error ? (
        <ApiErrorState error={error} lost="No link was changed." onRetry={onRetry} />
      ) : shares === undefined ? (
        <TableSkeleton rows={1} />
      ) : shares.length === 0 ? (
        <p className={shareListStyles.empty}>No links yet.</p>
      ) : (
        <ul className={shareListStyles.list}>
          {shares.map((share) => (
            <ShareItem key={share.token} share={share} />
          ))}
        </ul>
      )}
    </section>
  );
}

function ShareItem({ share }: { share: Share }): ReactElement {
  const { revoke, isPending } = useRevokeShare(share);
  const ends = share.expiresAt === null ? 'never expires' : `expires ${formatDateTime(share.expiresAt)}`;
  return (
    <li>
      <span className={shareListStyles.what}>
        <a className={`link ${shareListStyles.address}`} href={share.path} target="_blank" rel="noreferrer">
          {share.path}
        </a>
        <span className="second">
          {share.title}, made {formatDateTime(share.createdAt)}
          {share.madeBy && ` by ${share.madeBy}`}, {ends}
          {share.details && ', with addresses and logs'}
          {share.packets !== 'none' && `, with ${share.packets}`}
          {share.hasPassword && ', with a password'}, {openingWords(share)}
        </span>
      </span>
      <Button
        variant="default"
        size="xs"
        data-danger
        leftSection={<IconLinkOff size={16} stroke={2} aria-hidden />}
        loading={isPending}
        onClick={revoke}
      >
        Revoke
      </Button>
    </li>
  );
}
