import type { Share } from '@mqttlab/shared/messages/shares';
import { showProblem } from '../api/show-problem.tsx';
import { useCall } from '../api/use-call.ts';
import { showUndoToast } from '../ui/undo-toast.tsx';

/** Time to undo on the page. The server accepts a restore for `restoreMinutes`. */
const undoMs = 20_000;

/** Revokes a share link immediately. Visitors are rejected until it is restored. */
export function useRevokeShare({ token, title }: Pick<Share, 'token' | 'title'>) {
  const revoke = useCall('DELETE /shares/{token}', { changes: ['GET /shares'] });
  const restore = useCall('POST /shares/{token}/restore', { changes: ['GET /shares'] });
  const place = { params: { token } };
  // The button is removed before the response arrives, so callbacks of `mutate` would not be called.
  const undo = async () => {
    try {
      await restore.mutateAsync(place);
    } catch (error) {
      showProblem('The link was not restored', error);
    }
  };
  const start = async () => {
    try {
      await revoke.mutateAsync(place);
      const message = `The link to ${title} was revoked`;
      showUndoToast({ message, onUndo: () => void undo(), timeoutMs: undoMs });
    } catch (error) {
      showProblem('The link was not revoked', error);
    }
  };
  return { revoke: () => void start(), isPending: revoke.isPending };
}
