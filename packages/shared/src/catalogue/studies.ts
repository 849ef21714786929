import { cipherSuites } from './studies/cipher-suites.ts';
import { hecs4mqtt } from './studies/hecs4mqtt.ts';
import { rpiBroker } from './studies/rpi-broker.ts';
import { stabilityAware } from './studies/stability-aware.ts';
import type { Study } from './studies/study.ts';
import { v2xTls } from './studies/v2x-tls.ts';

/** Every study that is a study, in the order of the gallery. A new one is one file plus one line here. */
export const studies: readonly Study[] = [rpiBroker, cipherSuites, v2xTls, stabilityAware, hecs4mqtt];

/** undefined for an id that is not in the catalogue. */
export function findStudy(id: string): Study | undefined {
  return studies.find((study) => study.id === id);
}
