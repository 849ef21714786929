import type { FactorDefinition } from '../domain/factor.ts';
import { certificate } from './factors/certificate.ts';
import { cipherSuite } from './factors/cipher-suite.ts';
import { group } from './factors/group.ts';
import { link } from './factors/link.ts';
import { mqttVersion } from './factors/mqtt-version.ts';
import { publishers } from './factors/publishers.ts';
import { qos } from './factors/qos.ts';
import { rate } from './factors/rate.ts';
import { readingBytes } from './factors/reading-bytes.ts';
import { readingsPerMessage } from './factors/readings-per-message.ts';
import { security } from './factors/security.ts';

/** Every Factor, in the order of tables and labels. A new one is one file plus one line here. */
export const factors: readonly FactorDefinition[] = [
  security,
  cipherSuite,
  group,
  certificate,
  qos,
  mqttVersion,
  readingBytes,
  readingsPerMessage,
  rate,
  publishers,
  link,
];

/** undefined for an id that is not in the catalogue. */
export function findFactor(id: string): FactorDefinition | undefined {
  return factors.find((factor) => factor.id === id);
}
