import { issuesOf } from '@mqttlab/shared/domain/issue';
import { type StudyFile, studyFileSchema } from '@mqttlab/shared/domain/plans/study-file';
import { findStudy } from '@mqttlab/studies/studies';
import { makeOwnStudy } from '../../analysis/make-own-study.ts';
import { conflict, notFound, unprocessable } from '../../base/errors.ts';
import { takeStudyFile, writeStudyFile } from '../documents/study-file.ts';
import type { ApiParts } from '../parts.ts';
import { on, type Route } from '../route.ts';
import { fileNameOf } from '../send.ts';
import { recordOf } from '../start-experiment.ts';

const longestId = 24;

/** Studies of people's own: made of experiments, shared as files. */
export function ownStudyRoutes(parts: ApiParts): Route[] {
  const { studies } = parts;
  const isTaken = (id: string) => studies.storedText(id) !== null || findStudy(id) !== undefined;
  const isBroken = (id: string) => studies.listBroken().some((broken) => broken.id === id);
  const ownOf = (id: string): StudyFile => {
    const file = studies.findOwn(id);
    if (file) return file;
    if (findStudy(id)) {
      throw conflict(
        `${id} is a study that comes with mqttlab, not a study of your own.`,
        'Choose one of your own.',
      );
    }
    throw notFound('study', id);
  };
  /** The same file imported twice stays one study; another one of that name gets a number. */
  const keep = (file: StudyFile): StudyFile => {
    const known = isBroken(file.id) ? null : studies.findOwn(file.id);
    if (known && JSON.stringify(known) === JSON.stringify(file)) return known;
    const kept = { ...file, id: freeId(file.id, isTaken) };
    studies.addOwn(kept);
    return kept;
  };
  return [
    on('POST /studies', async ({ body: { experimentIds, ...words } }) => {
      const records = experimentIds.map((id) => recordOf(parts, id, { live: true }));
      const made = await makeOwnStudy(parts, records, { ...words, id: idOf(words.title) });
      const file = checked({ ...made, id: freeId(made.id, isTaken) });
      studies.addOwn(file);
      return file;
    }),
    on('POST /studies/import', async ({ body: { text } }) => keep(await takeStudyFile(text))),
    ...(['yaml', 'json'] as const).map((format) =>
      on(`GET /studies/{id}/study.${format}`, ({ params: { id } }) => {
        const stored = isBroken(id) ? studies.storedText(id) : null;
        if (stored !== null) {
          const name = fileNameOf('study', id, format);
          return { name, body: stored };
        }
        const file = ownOf(id);
        const name = fileNameOf('study', file.title, format);
        return { name, body: writeStudyFile(file, format) };
      }),
    ),
    on('DELETE /studies/{id}', ({ params: { id } }) => {
      studies.removeOwn(isBroken(id) ? id : ownOf(id).id);
    }),
  ];
}

/** Throws a 422 problem where experiments make a file that could not be read again. */
function checked(file: StudyFile): StudyFile {
  const parsed = studyFileSchema.safeParse(file);
  if (parsed.success) return parsed.data;
  throw unprocessable('No study can be made of this.', issuesOf(parsed.error));
}

function idOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestId)
    .replace(/^-+|-+$/g, '');
  return words || 'study';
}

function freeId(wanted: string, isTaken: (id: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? '' : `-${number}`;
    const id = wanted.slice(0, longestId - ending.length) + ending;
    if (!isTaken(id)) return id;
  }
}
