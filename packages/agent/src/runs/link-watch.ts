import { join } from 'node:path';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { readText } from '../base/kernel-files.ts';

export interface LinkWatchOptions {
  sysRoot: string;
  /** As the kernel calls it. */
  name: string;
  onDown: (failure: RoleFailure) => void;
  everyMs?: number;
}

/** States in which nothing gets through (Linux: Documentation/ABI/testing/sysfs-class-net, RFC 2863). */
const dead = new Set(['down', 'lowerlayerdown', 'notpresent', 'dormant', 'gone']);
/** An access point that is changed within one look is no fault. */
const looksUntilDown = 2;

/** Tells once when the interface that a Run uses stays down. */
export class LinkWatch {
  readonly #options: LinkWatchOptions;
  #timer: NodeJS.Timeout | null = null;
  #looksDown = 0;

  constructor(options: LinkWatchOptions) {
    this.#options = options;
  }

  /** Idempotent. */
  start(): void {
    if (this.#timer !== null) return;
    this.#timer = setInterval(() => this.#look(), this.#options.everyMs ?? 500);
  }

  /** Idempotent. */
  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    const { sysRoot, name, onDown } = this.#options;
    const state = readText(join(sysRoot, 'class/net', name, 'operstate')) ?? 'gone';
    this.#looksDown = dead.has(state) ? this.#looksDown + 1 : 0;
    if (this.#looksDown < looksUntilDown) return;
    this.stop();
    onDown({
      code: 'link-down',
      message: `The interface ${name} of this device went down during the run (${state}).`,
      remedy: 'Check its cable or its access point and what switches it off, then retry the Run.',
    });
  }
}
