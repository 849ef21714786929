import { randomFillSync } from 'node:crypto';

const vectorBytes = 16;
const pooledVectors = 256;

/**
 * Random initialisation vectors, each given out once and valid until 256 more were taken.
 * Random bytes cost a call to the system; this makes one call for 256 messages.
 */
export function makeRandomVectors(): () => Uint8Array {
  const pool = Buffer.alloc(pooledVectors * vectorBytes);
  let used = pooledVectors;
  return () => {
    if (used === pooledVectors) {
      randomFillSync(pool);
      used = 0;
    }
    used += 1;
    return pool.subarray((used - 1) * vectorBytes, used * vectorBytes);
  };
}
