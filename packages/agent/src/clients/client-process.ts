import type { Writable } from 'node:stream';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import { type LoadFailureCode, makeLoadFailure } from '../base/load-failures.ts';
import type { ChildRecords } from '../children/child-records.ts';

interface ClientProcessOptions {
  /** With what goes before it: setpriv(1) ends it with its parent. */
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  records: ChildRecords;
  onData: (chunk: Buffer) => void;
  /** Ended although nobody ended it. */
  onLost: (why: string) => void;
}

/** One client, from start to exit. */
export class ClientProcess {
  readonly #child: ManagedChild;
  #ending = false;

  constructor(options: ClientProcessOptions) {
    const { environment, records, onData, onLost } = options;
    const [command = '', ...args] = options.command;
    const child = new ManagedChild({
      command,
      args,
      environment,
      records,
      inputDescriptor: 0,
      stdout: 'stream',
      killAfterMs: 0,
    });
    this.#child = child;
    child.start();
    child.output.on('data', onData);
    void this.#exitCode().then((code) => {
      if (!this.#ending) onLost(child.lastLines || `it ended with exit code ${code}`);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get stdin(): Writable {
    return this.#child.input;
  }

  /** Lets it send what it has and disconnect; the exit code, or null when it had to be ended. */
  async finish(killAfterMs: number): Promise<number | null> {
    this.#ending = true;
    this.stdin.end();
    await this.#child.stop(null, killAfterMs);
    return this.#exitCode();
  }

  /** SIGTERM lets it disconnect. Idempotent, never rejects. */
  async stop(killAfterMs: number): Promise<void> {
    this.#ending = true;
    await this.#child.stop('SIGTERM', killAfterMs);
  }

  /** null where it was ended by a signal or never started. */
  async #exitCode(): Promise<number | null> {
    return this.#child.exit.then(
      ({ code }) => code,
      () => null,
    );
  }
}

const failureCodes: readonly [RegExp, LoadFailureCode][] = [
  [/TLS|SSL|certificate|protocol error/i, 'tls-handshake'],
  [/not authori[sz]ed|bad user name|(unacceptable|unsupported) protocol|denied/i, 'connack-refused'],
  [/refused|unreachable|lookup/i, 'connection-refused'],
];

/** What the last lines of a client mean. */
export function clientFailure(name: string, why: string): RoleFailure {
  const code = failureCodes.find(([pattern]) => pattern.test(why))?.[1] ?? 'connection-lost';
  return makeLoadFailure(code, `The ${name} did not connect: ${why}`);
}
