import type { PayloadEncodingName } from '@mqttlab/shared/domain/plans/trial-spec';
import { base64Json } from './base64-json.ts';
import { binary } from './binary.ts';
import type { PayloadEncoding } from './payload-encoding.ts';

/** Every payload encoding. */
export const payloadEncodings: Readonly<Record<PayloadEncodingName, PayloadEncoding>> = {
  binary,
  'base64 in JSON': base64Json,
};
