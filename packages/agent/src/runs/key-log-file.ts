import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { keyLog } from '@mqttlab/shared/catalogue/factors/key-log';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { ResultFile } from '@mqttlab/shared/domain/runs/capture';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';

const name: ResultFile['name'] = 'keys.log';

/** Where the load process of one client writes the keys of its connections, if the Trial asks for them. */
export class KeyLogFile {
  readonly #folder: string;
  readonly #isWanted: boolean;

  constructor(folder: string, spec: TrialSpec) {
    this.#folder = folder;
    this.#isWanted = keyLog.of(spec) === 'kept';
  }

  async prepare(): Promise<{ keyLogPath?: string }> {
    if (!this.#isWanted) return {};
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return { keyLogPath: join(this.#folder, name) };
  }

  /** Never rejects. */
  async finish(): Promise<Pick<RoleResult, 'files'>> {
    if (!this.#isWanted) return {};
    const bytes = await stat(join(this.#folder, name)).then(
      ({ size }) => size,
      () => 0,
    );
    return bytes === 0 ? {} : { files: [{ name, bytes }] };
  }
}
