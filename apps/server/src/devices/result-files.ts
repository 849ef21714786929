import { maxCaptureBytes } from '@mqttlab/shared/domain/runs/capture';
import type { AgentFrame } from '@mqttlab/shared/messages/agent';
import { filePartBytes } from '@mqttlab/shared/messages/result-files';
import type { RunFileKey, RunFileStore } from '../store/runs/run-file-store.ts';
import { StorageError } from '../store/storage-error.ts';
import type { AgentConnection } from './agent-connection.ts';

export type ResultFrame = Extract<AgentFrame, { type: 'result' }>;

interface FilesOptions {
  files: Pick<RunFileStore, 'has' | 'savePart' | 'remove'>;
  /** True if this run is stored; runs of a trial start are not. */
  isKept: (runId: number) => boolean;
  /** A file that does not exist on its device, or is too large: nothing of it is stored. */
  onLost: (key: RunFileKey, reason: string) => void;
  /** A file that could not be stored now: its device keeps it. */
  onLater: (key: RunFileKey, reason: string) => void;
}

/**
 * Fetches the files next to a stored result, then acknowledges it. The device deletes its copies on the
 * acknowledgement, so it is sent only if every file is stored or known not to exist. After any other error the result
 * is requested again. Never rejects.
 */
export async function takeResultFiles(
  connection: AgentConnection,
  { key, runId, result }: ResultFrame,
  { files, isKept, onLost, onLater }: FilesOptions,
): Promise<void> {
  if (!connection.beginFiles(key)) return;
  let file: RunFileKey | null = null;
  try {
    for (const { name } of isKept(runId) ? (result.files ?? []) : []) {
      file = { runId, deviceId: connection.deviceId, name };
      if (files.has(file)) continue;
      const reason = await fetchFile(connection, { key, file, files });
      if (reason !== null) onLost(file, reason);
    }
    connection.acknowledge(key);
  } catch (error) {
    // A device that disconnected sends its result again when it is back.
    if (!connection.isOpen) return;
    const reason = error instanceof Error ? error.message : String(error);
    const report = (next: string) => file && onLater(file, `${reason} ${next}`);
    if (error instanceof StorageError) {
      // A disk error is not the fault of this result: it is requested until there is room.
      if (connection.oweResult(key)) report('It will be fetched again when the database can be written.');
      return;
    }
    const attempt = connection.retryResult(key);
    if (attempt === 'first') report('It will be fetched again.');
    if (attempt === 'last') report('It will be fetched again when the device reconnects.');
  } finally {
    connection.endFiles(key);
  }
}

/** Returns null if the file is stored, otherwise why it never can be. Rejects with Failure or StorageError. */
async function fetchFile(
  connection: AgentConnection,
  { key, file, files }: { key: string; file: RunFileKey; files: FilesOptions['files'] },
): Promise<string | null> {
  for (let part = 0; part * filePartBytes <= maxCaptureBytes; part += 1) {
    const text = await connection.fetch({
      type: 'fetch-file',
      key,
      name: file.name,
      offset: part * filePartBytes,
    });
    if (text === null) return 'the device no longer has it.';
    const bytes = Buffer.from(text, 'base64');
    const isLast = bytes.length < filePartBytes;
    files.savePart(file, { part, bytes, isLast });
    if (isLast) return null;
  }
  files.remove(file);
  return 'it is larger than allowed.';
}
