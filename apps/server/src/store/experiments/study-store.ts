import { type StudyFile, studyFileSchema } from '@mqttlab/shared/domain/plans/study-file';
import { studyScales } from '@mqttlab/shared/planning/study';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { defineTable, json, type RowOf, readEach, readOrBroken, type StoreOptions } from '../table.ts';

const partSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  question: z.string(),
  leftOut: z.array(z.strictObject({ what: z.string(), reason: z.string(), remedy: z.string() })),
  experimentId: z.int().nullable(),
});

const file = json(studyFileSchema);
const ownStudies = defineTable('own_studies', { id: z.string(), file });
const studyRuns = defineTable(
  'study_runs',
  {
    id: z.int(),
    studyId: z.string(),
    title: z.string(),
    testbedId: z.string(),
    scale: z.enum(studyScales),
    parts: json(z.array(partSchema)),
    own: file.nullable(),
    createdAt: z.number(),
  },
  { own: 'file_json' },
);
const inOrder = 'ORDER BY created_at, id';

/** Experiments that were started together as a study. */
export type StudyRunRecord = RowOf<typeof studyRuns>;

export type StudyStore = ReturnType<typeof makeStudyStore>;

/** Stores custom studies and study runs in SQLite. Writes throw StorageError if they fail. */
export function makeStudyStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const findRun = (id: number): StudyRunRecord | null =>
    readOrBroken(`study run ${id}`, () => studyRuns(database).find('WHERE id = :id', { id }));
  return {
    /** Returns custom studies, oldest first. */
    listOwnStudies: (): StudyFile[] =>
      ownStudies(database)
        .list(inOrder)
        .map((row) => row.file),
    /** Returns unreadable custom studies, with the reason. */
    listBrokenStudies: (): { id: string; reason: string }[] =>
      readEach<{ id: string }, { id: string; reason: string } | null>(
        database.all(`SELECT ${ownStudies.columns} FROM own_studies ${inOrder}`),
        (row) => {
          ownStudies.parse(row);
          return null;
        },
        ({ id }, reason) => ({ id, reason }),
      ).flatMap((broken) => broken ?? []),
    /** Returns the stored text of a custom study, readable or not; null if there is none. */
    findStudyText(id: string): string | null {
      return database.column<string>('SELECT file_json FROM own_studies WHERE id = :id', { id })[0] ?? null;
    },
    findOwnStudy: (id: string): StudyFile | null =>
      readOrBroken(`study ${id}`, () => ownStudies(database).find('WHERE id = :id', { id }))?.file ?? null,
    addOwnStudy(study: StudyFile): void {
      // An unreadable study would break the gallery.
      studyFileSchema.parse(study);
      ownStudies(database).insert({ id: study.id, file: study }, { created_at: now() });
    },
    /** Removes a custom study. Returns false if there is none. */
    removeOwnStudy: (id: string) => ownStudies(database).remove({ id }),
    /** Newest first. */
    listStudyRuns: (limit: number) => studyRuns(database).list('ORDER BY id DESC LIMIT :limit', { limit }),
    findStudyRun: findRun,
    createStudyRun({ own, ...run }: Omit<StudyRunRecord, 'id' | 'createdAt'>): StudyRunRecord {
      const file_json = own === null ? null : JSON.stringify(own);
      const id = studyRuns(database).insert({ ...run, createdAt: now() }, { file_json });
      const made = findRun(id);
      if (!made) throw new Error(`study run ${id} disappeared while it was being written`);
      return made;
    },
  };
}
