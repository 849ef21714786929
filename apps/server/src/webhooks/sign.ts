import { createHmac, randomBytes } from 'node:crypto';

/** According to Standard Webhooks 1.0.0: https://github.com/standard-webhooks/standard-webhooks */
const prefix = 'whsec_';
const secretBytes = { made: 32, min: 24, max: 64 } as const;

export function makeSecret(): string {
  return prefix + randomBytes(secretBytes.made).toString('base64');
}

/** True if the text is "whsec_" and 24 to 64 bytes in base64. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(prefix)) return false;
  const encoded = text.slice(prefix.length);
  const key = Buffer.from(encoded, 'base64');
  const same = key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  return same && key.length >= secretBytes.min && key.length <= secretBytes.max;
}

interface SignedMessage {
  messageId: string;
  /** Time of this attempt, Unix s. */
  timestamp: number;
  body: string;
}

/** Headers with which a receiver verifies that a message is authentic, unchanged and fresh. */
export function signHeaders(secret: string, { messageId, timestamp, body }: SignedMessage) {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${messageId}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
}
