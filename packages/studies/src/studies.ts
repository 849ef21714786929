import { type StudyOrigin, studyOriginOf } from '@mqttlab/shared/planning/study';
import { cipherSuites } from './cipher-suites/study.ts';
import { hecs4mqtt } from './hecs4mqtt/study.ts';
import { rpiBroker } from './rpi-broker/study.ts';
import { stabilityAware } from './stability-aware/study.ts';
import type { PublishedPart, PublishedStudy } from './study.ts';
import { v2xTls } from './v2x-tls/study.ts';

/** Every study that is a study, in the order of the gallery. A new one is one file plus one line here. */
export const studies: readonly PublishedStudy[] = [
  rpiBroker,
  cipherSuites,
  v2xTls,
  stabilityAware,
  hecs4mqtt,
];

/** True if the report of an experiment with these tags includes the stability of its series. */
export function asksForStability(tags: readonly string[]): boolean {
  const origin = studyOriginOf(tags);
  return origin !== null && (findStudy(origin.studyId)?.asksForStability ?? false);
}

/** undefined for an id that is not in the catalogue. */
export function findStudy(id: string): PublishedStudy | undefined {
  return studies.find((study) => study.id === id);
}

/** undefined for a part of a study that was saved here. */
export function findPart({
  studyId,
  partId,
}: Pick<StudyOrigin, 'studyId' | 'partId'>): PublishedPart | undefined {
  return findStudy(studyId)?.parts.find(({ id }) => id === partId);
}
