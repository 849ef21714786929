import { Button } from '@mantine/core';
import type { Share } from '@mqttlab/shared/messages/shares';
import { IconLinkOff } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { ApiErrorState } from '../api/api-error-state.tsx';
import { useRevokeShare } from '../api/mutations.ts';
import { showProblem } from '../api/show-problem.tsx';
import { formatDateTime } from '../ui/format.ts';
import { TableSkeleton } from '../ui/skeletons.tsx';
import { openingWords } from './share-links.ts';
import styles from './share-list.module.css';

export type ShareListProps = {
  /** undefined while they load. */
  shares: readonly Share[] | undefined;
  error: unknown;
  onRetry: () => void;
};

/** The links that open now, each with the button that ends it. */
export function ShareList({ shares, error, onRetry }: ShareListProps): ReactElement {
  return (
    <section aria-label="Links">
      <h3 className={styles.head}>Active links</h3>
      {error ? (
        <ApiErrorState error={error} lost="No link was changed." onRetry={onRetry} />
      ) : shares === undefined ? (
        <TableSkeleton rows={1} />
      ) : shares.length === 0 ? (
        <p className={styles.empty}>No links yet.</p>
      ) : (
        <ul className={styles.list}>
          {shares.map((share) => (
            <ShareItem key={share.token} share={share} />
          ))}
        </ul>
      )}
    </section>
  );
}

function ShareItem({ share }: { share: Share }): ReactElement {
  const revoke = useRevokeShare();
  const ends = share.expiresAt === null ? 'never expires' : `expires ${formatDateTime(share.expiresAt)}`;
  return (
    <li>
      <span className={styles.what}>
        <a className={`link ${styles.address}`} href={share.path} target="_blank" rel="noreferrer">
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
        loading={revoke.isPending}
        onClick={() =>
          revoke.mutate(share.token, { onError: (error) => showProblem('The link was not revoked', error) })
        }
      >
        Revoke
      </Button>
    </li>
  );
}
