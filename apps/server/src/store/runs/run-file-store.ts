import type { ResultFile } from '@mqttlab/shared/domain/runs/capture';
import type { RunFile } from '@mqttlab/shared/domain/runs/run';
import { conflict } from '../../base/errors.ts';
import type { Database } from '../database.ts';
import type { SecretBox } from '../secret-box.ts';

export interface RunFileKey {
  runId: number;
  deviceId: string;
  name: ResultFile['name'];
}

export type RunFileStore = ReturnType<typeof makeRunFileStore>;

const sealedAs = 'run_files.bytes';

/** Lists complete files only. A removed device is named by its id. */
const listedOf = (
  runs: string,
) => `SELECT name, coalesce((SELECT name FROM devices WHERE id = device_id), device_id) AS device,
    sum(length(bytes)) AS bytes FROM run_files WHERE run_id IN ${runs} GROUP BY run_id, device_id, name HAVING max(is_last) = 1
    ORDER BY device_id`;

export function listRunFiles(database: Database, runId: number): RunFile[] {
  return database.all(listedOf('(:runId)'), { runId });
}

/** Stores files next to results, in parts of a bounded size. Key logs are secret and are stored encrypted. */
export function makeRunFileStore(database: Database, { secrets }: { secrets: SecretBox }) {
  const remove = (key: RunFileKey): void => {
    database.run('DELETE FROM run_files WHERE run_id = :runId AND device_id = :deviceId AND name = :name', {
      ...key,
    });
  };
  const openKeys = (sealed: Buffer): Buffer => {
    const keys = secrets.open(sealed.toString(), sealedAs);
    if (keys !== null) return Buffer.from(keys, 'latin1');
    throw conflict(
      'The TLS keys of this run were encrypted with a different mqttlab.key from the one in the data folder.',
      'Restore that mqttlab.key and restart the server, or export without keys.',
    );
  };
  return {
    listRunFiles: (runId: number) => listRunFiles(database, runId),
    /** Returns the files of all runs in an experiment. */
    listFilesOfExperiment: (experimentId: number): RunFile[] =>
      database.all(listedOf('(SELECT id FROM runs WHERE experiment_id = :experimentId)'), { experimentId }),
    /**
     * Stores one part. The first part replaces the parts of an earlier attempt. Throws StorageError if the
     * part could not be stored.
     */
    saveFilePart(
      key: RunFileKey,
      { part, bytes, isLast }: { part: number; bytes: Buffer; isLast: boolean },
    ): void {
      const kept =
        key.name === 'keys.log' ? Buffer.from(secrets.seal(bytes.toString('latin1'), sealedAs)) : bytes;
      database.transaction(() => {
        if (part === 0) remove(key);
        database.run(
          `INSERT INTO run_files (run_id, device_id, name, part, is_last, bytes)
           VALUES (:runId, :deviceId, :name, :part, :isLast, :kept)`,
          { ...key, part, isLast: Number(isLast), kept },
        );
      });
    },
    removeRunFile: remove,
    /** Returns true if every part of this file is stored. */
    hasRunFile: (key: RunFileKey): boolean =>
      database.get(
        'SELECT 1 FROM run_files WHERE run_id = :runId AND device_id = :deviceId AND name = :name AND is_last = 1',
        { ...key },
      ) !== undefined,
    /**
     * Yields the file part by part, from the named device or from the first device that has one. Empty if
     * there is none. Throws a 409 problem for keys that were encrypted with another mqttlab.key.
     */
    *readFileParts(runId: number, name: ResultFile['name'], device?: string): Generator<Buffer> {
      const found = listRunFiles(database, runId).find(
        (file) => file.name === name && (device === undefined || file.device === device),
      );
      for (let part = 0, isLast = found === undefined; !isLast; part += 1) {
        const row = database.get<{ isLast: number; bytes: Uint8Array }>(
          `SELECT is_last AS isLast, bytes FROM run_files WHERE run_id = :runId AND name = :name AND part = :part
           AND coalesce((SELECT name FROM devices WHERE id = device_id), device_id) = :device`,
          { runId, name, part, device: found?.device ?? '' },
        );
        if (row === undefined) throw new RangeError(`run ${runId} has no part ${part} of ${name}`);
        isLast = row.isLast === 1;
        const bytes = Buffer.from(row.bytes);
        yield name === 'keys.log' ? openKeys(bytes) : bytes;
      }
    },
  };
}
