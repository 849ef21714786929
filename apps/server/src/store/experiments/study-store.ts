import { studyScales } from '@mqttlab/shared/catalogue/studies/study';
import { type StudyFile, studyFileSchema } from '@mqttlab/shared/domain/plans/study-file';
import * as z from 'zod';
import { leaveOut, readEach, readOrBroken } from '../broken-row.ts';
import type { Database } from '../database.ts';
import { json } from '../row.ts';

const partSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  question: z.string(),
  leftOut: z.array(z.strictObject({ what: z.string(), reason: z.string(), remedy: z.string() })),
  experimentId: z.int().nullable(),
});

/** What was started together, as it was then. */
export interface StudyRunRecord {
  id: number;
  studyId: string;
  title: string;
  testbedId: string;
  scale: (typeof studyScales)[number];
  parts: z.infer<typeof partSchema>[];
  own: StudyFile | null;
  createdAt: number;
}

export interface StudyStore {
  /** Own studies, oldest first. */
  listOwn(): StudyFile[];
  /** Those whose file cannot be read, and why. */
  listBroken(): { id: string; reason: string }[];
  /** The file of one as it is stored, whatever is in it; null where there is none. */
  storedText(id: string): string | null;
  findOwn(id: string): StudyFile | null;
  addOwn(file: StudyFile): void;
  /** False where there is none. */
  removeOwn(id: string): boolean;
  /** Newest first. */
  listRuns(limit: number): StudyRunRecord[];
  findRun(id: number): StudyRunRecord | null;
  createRun(run: Omit<StudyRunRecord, 'id' | 'createdAt'>): StudyRunRecord;
}

const fileColumn = json(studyFileSchema);
const fileRow = z.object({ file_json: fileColumn });
const idRow = z.object({ id: z.string() });
const textRow = z.object({ file_json: z.string() });
const ownStudies = 'SELECT id, file_json FROM own_studies ORDER BY created_at, id';

const runRow = z
  .object({
    id: z.int(),
    study_id: z.string(),
    title: z.string(),
    testbed_id: z.string(),
    scale: z.enum(studyScales),
    parts_json: json(z.array(partSchema)),
    file_json: fileColumn.nullable(),
    created_at: z.number(),
  })
  .transform(
    (row): StudyRunRecord => ({
      id: row.id,
      studyId: row.study_id,
      title: row.title,
      testbedId: row.testbed_id,
      scale: row.scale,
      parts: row.parts_json,
      own: row.file_json,
      createdAt: row.created_at,
    }),
  );

/** Own studies and study runs in SQLite; writes throw StorageError when the disk does not take them. */
export function makeStudyStore(
  database: Database,
  { now = Date.now }: { now?: () => number } = {},
): StudyStore {
  const findRun = (id: number): StudyRunRecord | null => {
    const row = database.get('SELECT * FROM study_runs WHERE id = :id', { id });
    return row ? readOrBroken(`study run ${id}`, () => runRow.parse(row)) : null;
  };
  return {
    listOwn: () => readEach(database.all(ownStudies), (row) => fileRow.parse(row).file_json, leaveOut),
    listBroken: () =>
      readEach(
        database.all(ownStudies),
        (row) => {
          fileRow.parse(row);
          return null;
        },
        (row, reason) => ({ ...idRow.parse(row), reason }),
      ).flatMap((broken) => broken ?? []),
    storedText(id) {
      const row = database.get('SELECT file_json FROM own_studies WHERE id = :id', { id });
      return row ? textRow.parse(row).file_json : null;
    },
    findOwn(id) {
      const row = database.get('SELECT file_json FROM own_studies WHERE id = :id', { id });
      return row ? readOrBroken(`study ${id}`, () => fileRow.parse(row).file_json) : null;
    },
    addOwn(file) {
      // What is not read again would break the gallery.
      studyFileSchema.parse(file);
      database.run('INSERT INTO own_studies (id, file_json, created_at) VALUES (:id, :file, :now)', {
        id: file.id,
        file: JSON.stringify(file),
        now: now(),
      });
    },
    removeOwn: (id) => database.run('DELETE FROM own_studies WHERE id = :id', { id }).changes > 0,
    listRuns: (limit) =>
      readEach(
        database.all('SELECT * FROM study_runs ORDER BY id DESC LIMIT :limit', { limit }),
        (row) => runRow.parse(row),
        leaveOut,
      ),
    findRun,
    createRun({ studyId, title, testbedId, scale, parts, own }) {
      const { id } = database.run(
        `INSERT INTO study_runs (study_id, title, testbed_id, scale, parts_json, file_json, created_at)
         VALUES (:studyId, :title, :testbedId, :scale, :parts, :own, :now)`,
        {
          studyId,
          title,
          testbedId,
          scale,
          parts: JSON.stringify(parts),
          own: own === null ? null : JSON.stringify(own),
          now: now(),
        },
      );
      const made = findRun(id);
      if (!made) throw new Error(`study run ${id} vanished while it was written`);
      return made;
    },
  };
}
