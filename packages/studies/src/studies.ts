import { type StudyOrigin, studyOriginOf } from '@mqttlab/shared/planning/study';
import { cipherSuites } from './cipher-suites/study.ts';
import { hecs4mqtt } from './hecs4mqtt/study.ts';
import { rpiBroker } from './rpi-broker/study.ts';
import { stabilityAware } from './stability-aware/study.ts';
import type { PublishedPart, PublishedStudy } from './study.ts';
import { v2xTls } from './v2x-tls/study.ts';

/** All published studies, in the order of the gallery. To add a study, add its file and a line here. */
export const studies: readonly PublishedStudy[] = [
  rpiBroker,
  cipherSuites,
  v2xTls,
  stabilityAware,
  hecs4mqtt,
];

/** True if the report of an experiment with these tags includes the stability of its series. */
export function needsStability(tags: readonly string[]): boolean {
  const origin = studyOriginOf(tags);
  return origin !== null && (findStudy(origin.studyId)?.needsStability ?? false);
}

/** Returns undefined for an unknown id. */
export function findStudy(id: string): PublishedStudy | undefined {
  return studies.find((study) => study.id === id);
}

/** Returns undefined for a part of a user's study. */
export function findPart({
  studyId,
  partId,
}: Pick<StudyOrigin, 'studyId' | 'partId'>): PublishedPart | undefined {
  return findStudy(studyId)?.parts.find(({ id }) => id === partId);
}
