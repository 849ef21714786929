import type { Share } from '@mqttlab/shared/messages/shares';
import type { ReactElement } from 'react';
import { useApi } from '../../api/use-api.ts';
import { openingWords } from '../../share/share-links.ts';
import { useRevokeShare } from '../../share/use-revoke-share.ts';
import type { Column } from '../../ui/data-table.tsx';
import { formatDateTime, useNow } from '../../ui/format.ts';
import { DangerButton } from '../../ui/input/buttons.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { ListPanel } from './list-panel.tsx';
import styles from './settings-page.module.css';

interface ShareState {
  kind: 'open' | 'expired' | 'revoked';
  words: string;
}

/** Returns the status of a share link. */
export function shareState({ revokedAt, expiresAt }: Share, nowMs: number): ShareState {
  if (revokedAt !== null) return { kind: 'revoked', words: `Revoked ${formatDateTime(revokedAt, nowMs)}` };
  if (expiresAt !== null && expiresAt <= nowMs) {
    return { kind: 'expired', words: `Expired ${formatDateTime(expiresAt, nowMs)}` };
  }
  return {
    kind: 'open',
    words: expiresAt === null ? 'Active, never expires' : `Active until ${formatDateTime(expiresAt, nowMs)}`,
  };
}

/** All share links, with their content, status and a revoke button. */
export function SharesPanel(): ReactElement {
  return (
    <ListPanel
      title="Share links"
      subtitle="anyone with a link can read the shared content"
      query={useApi('GET /shares', {}, { select: ({ items }) => items })}
      columns={columnsAt(useNow(), useIsPhone())}
      rowKey={({ token }) => token}
      initialSort={{ columnId: 'created', direction: 'descending' }}
      empty="No share links yet. Create one with Share on a run, an experiment, a comparison or a study run."
    />
  );
}

const kindWords: Readonly<Record<Share['kind'], string>> = {
  experiment: 'experiment',
  run: 'run',
  view: 'comparison',
  study: 'study run',
};

function columnsAt(nowMs: number, isPhone: boolean): Column<Share>[] {
  const columns: Column<Share>[] = [
    {
      id: 'title',
      head: 'Shows',
      width: '44%',
      sortValue: (share) => share.title,
      cell: (share) => (
        <span className={styles.two}>
          {shareState(share, nowMs).kind === 'open' ? (
            <a className="link" href={share.path}>
              {share.title}
            </a>
          ) : (
            share.title
          )}
          <span className="second">
            {kindWords[share.kind]}, <span className="mono">{share.path}</span>
          </span>
          {isPhone && <State share={share} nowMs={nowMs} />}
        </span>
      ),
    },
    {
      id: 'created',
      head: 'Made',
      hideOnPhone: true,
      sortValue: (share) => share.createdAt,
      cell: (share) => (
        <span className={styles.two}>
          {formatDateTime(share.createdAt, nowMs)}
          <span className="second">
            {share.madeBy && `by ${share.madeBy}, `}
            {openingWords(share)}
          </span>
        </span>
      ),
    },
    { id: 'state', head: 'State', cell: (share) => <State share={share} nowMs={nowMs} /> },
    { id: 'revoke', head: 'Revoke', width: '216px', cell: (share) => <Revoke share={share} nowMs={nowMs} /> },
  ];
  return isPhone ? columns.filter((column) => column.id !== 'state') : columns;
}

function State({ share, nowMs }: { share: Share; nowMs: number }): ReactElement {
  const { kind, words } = shareState(share, nowMs);
  return <StatusLine kind={kind === 'open' ? 'ready' : 'stopped'}>{words}</StatusLine>;
}

function Revoke({ share, nowMs }: { share: Share; nowMs: number }): ReactElement | null {
  const { revoke, isPending } = useRevokeShare(share);
  if (shareState(share, nowMs).kind !== 'open') return null;
  return (
    <DangerButton
      size="xs"
      loading={isPending}
      aria-label={`Revoke the link to ${share.title}`}
      onClick={revoke}
    >
      Revoke
    </DangerButton>
  );
}
