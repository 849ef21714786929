import type { Share } from '@mqttlab/shared/messages/shares';
import { formatDateTime } from '../../ui/format/time.ts';

export interface ShareState {
  kind: 'open' | 'expired' | 'revoked';
  words: string;
}

/** Whether a share link can still be opened. */
export function shareState({ revokedAt, expiresAt }: Share, nowMs: number): ShareState {
  if (revokedAt !== null) return { kind: 'revoked', words: `Revoked ${formatDateTime(revokedAt, nowMs)}` };
  if (expiresAt !== null && expiresAt <= nowMs) {
    return { kind: 'expired', words: `Expired ${formatDateTime(expiresAt, nowMs)}` };
  }
  return {
    kind: 'open',
    words: expiresAt === null ? 'Open, no end' : `Open until ${formatDateTime(expiresAt, nowMs)}`,
  };
}
