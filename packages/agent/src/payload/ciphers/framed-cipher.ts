import type { PayloadCipherId } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { makeFramedEnd } from '../framed-end.ts';
import { checkKeySize, definitionOf, type PayloadCipher } from '../payload-cipher.ts';
import type { Box } from './box.ts';

/** A payload cipher around a box: nonces, associated data and replay window as in framed-end.ts. */
export function makeFramedCipher(
  id: PayloadCipherId,
  makeBox: (key: Uint8Array) => Box | Promise<Box>,
): PayloadCipher {
  const definition = definitionOf(id);
  return {
    ...definition,
    async prepare(key) {
      checkKeySize(definition, key);
      const box = await makeBox(key);
      return () => makeFramedEnd(box);
    },
  };
}
