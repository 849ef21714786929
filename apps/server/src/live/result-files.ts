import { maxCaptureBytes } from '@mqttlab/shared/domain/runs/capture';
import type { AgentFrame } from '@mqttlab/shared/messages/agent';
import { filePartBytes } from '@mqttlab/shared/messages/result-files';
import type { RunFileKey, RunFileStore } from '../store/runs/run-file-store.ts';
import { StorageError } from '../store/storage-error.ts';
import type { AgentConnection } from './agent-connection.ts';

export type ResultFrame = Extract<AgentFrame, { type: 'result' }>;

interface FilesOptions {
  files: Pick<RunFileStore, 'savePart' | 'remove'>;
  /** Whether anything of this Run is stored; a trial before a start is not. */
  isKept: (runId: number) => boolean;
  /** A file of which nothing is kept, in words. */
  onLost: (key: RunFileKey, reason: string) => void;
}

/**
 * Fetches what lies beside a result that is stored, then acknowledges it: until then its device keeps both. A file
 * that cannot be stored is given up and said; the result stays. Never rejects.
 */
export async function takeResultFiles(
  connection: AgentConnection,
  { key, runId, result }: ResultFrame,
  { files, isKept, onLost }: FilesOptions,
): Promise<void> {
  connection.holdResult(key);
  for (const { name } of isKept(runId) ? (result.files ?? []) : []) {
    const file: RunFileKey = { runId, deviceId: connection.deviceId, name };
    try {
      await fetchFile(connection, { key, file, files });
    } catch (error) {
      // Of a device that is gone, the result comes again with it.
      if (!connection.isOpen) return;
      if (error instanceof StorageError) ignoreTrouble(() => files.remove(file));
      onLost(file, error instanceof Error ? error.message : String(error));
    }
  }
  connection.acknowledge(key);
}

async function fetchFile(
  connection: AgentConnection,
  { key, file, files }: { key: string; file: RunFileKey; files: FilesOptions['files'] },
): Promise<void> {
  for (let part = 0; part * filePartBytes <= maxCaptureBytes; part += 1) {
    const text = await connection.fetch({
      type: 'fetch-file',
      key,
      name: file.name,
      offset: part * filePartBytes,
    });
    if (text === null) throw new Error('the device does not have it any more');
    const bytes = Buffer.from(text, 'base64');
    const isLast = bytes.length < filePartBytes;
    files.savePart(file, { part, bytes, isLast });
    if (isLast) return;
  }
  files.remove(file);
  throw new Error('it is larger than it may be');
}

/** What is left of it is listed nowhere. */
function ignoreTrouble(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
  }
}
