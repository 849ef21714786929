import { base64Json } from './base64-json.ts';
import { binary } from './binary.ts';
import type { PayloadEncoding } from './payload-encoding.ts';

/** Every payload encoding, in the order of the wizard. */
export const payloadEncodings: readonly PayloadEncoding[] = [binary, base64Json];

export function findPayloadEncoding(id: string): PayloadEncoding | undefined {
  return payloadEncodings.find((encoding) => encoding.id === id);
}
