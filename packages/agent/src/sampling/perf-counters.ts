import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PerfCounters } from '@mqttlab/shared/domain/runs/role-result';
import type { RunCommand } from '../runs/run-command.ts';
import { reasonOf } from '../runs/run-failure.ts';

/** Events of perf-stat(1) and where each one is kept. */
const events = {
  cycles: 'cycles',
  instructions: 'instructions',
  'cache-references': 'cacheReferences',
  'cache-misses': 'cacheMisses',
} as const satisfies Record<string, keyof PerfCounters>;

const patienceMs = 2_000;

/** Why this device has no hardware counters for us; null when it has. Bounded by `runCommand`. */
export async function probePerf(sysRoot: string, runCommand: RunCommand): Promise<string | null> {
  if (!hasCounters(sysRoot)) {
    return 'the kernel offers no hardware counters (no cpu in /sys/bus/event_source/devices), as in most virtual machines';
  }
  let text: string;
  try {
    const names = Object.keys(events).join(',');
    text = await runCommand('perf', ['stat', '--log-fd', '1', '-x', ',', '-e', names, 'true']);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason.includes('ENOENT')) return 'the program perf is not installed (Debian: linux-perf)';
    return `perf does not count here: ${reason.split('\n').slice(0, 3).join(' ').slice(0, 200)}`;
  }
  const counted = Object.values(parsePerf(text)).some((value) => value !== null);
  return counted ? null : 'perf runs, but the processor supports none of the counters';
}

/** The processor's own counters: "cpu" on x86 ("cpu_core" where it has two kinds), "armv8_..." on ARM. */
function hasCounters(sysRoot: string): boolean {
  try {
    const sources = readdirSync(join(sysRoot, 'bus/event_source/devices'));
    return sources.some((name) => name === 'cpu' || name === 'cpu_core' || name.startsWith('armv'));
  } catch {
    return false;
  }
}

/** What `perf stat -x ,` prints: value, unit, event, and more; "<not supported>" where there is no number. */
export function parsePerf(text: string): PerfCounters {
  const found: PerfCounters = { cycles: null, instructions: null, cacheReferences: null, cacheMisses: null };
  for (const line of text.split('\n')) {
    const [value = '', , event = ''] = line.split(',');
    const [name = ''] = event.split(':');
    if (/^\d+$/.test(value) && isEvent(name)) found[events[name]] = Number(value);
  }
  return found;
}

function isEvent(name: string): name is keyof typeof events {
  return Object.hasOwn(events, name);
}

/** Counts the events of some processes, all their threads included, between `enable` and `disable`. */
export class PerfCounting {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #text = '';
  #words = '';

  /** `names` other than the usual ones are for machines without hardware counters. */
  constructor(pids: readonly number[], names: readonly string[] = Object.keys(events)) {
    const args = ['stat', '--log-fd', '1', '-x', ',', '-e', names.join(','), '-p', pids.join(',')];
    // Fd 3 takes "enable" and "disable"; -1 begins disabled.
    this.#child = spawn('perf', [...args, '--control', 'fd:3', '-D', '-1'], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: { ...process.env, LC_ALL: 'C' },
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString();
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#words += chunk.toString();
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#words += error.message;
        resolve();
      });
      this.#child.once('close', () => resolve());
    });
    // It may end before it has read all that it is told.
    this.#control?.on('error', () => {});
  }

  get #control(): NodeJS.WritableStream | null {
    const pipe = this.#child.stdio[3];
    return pipe && 'write' in pipe ? pipe : null;
  }

  enable(): void {
    this.#control?.write('enable\n');
  }

  disable(): void {
    this.#control?.write('disable\n');
  }

  /** What was counted, or why nothing was. Never rejects; the program is gone afterwards. */
  async finish(): Promise<{ text: string } | { reason: string }> {
    this.#child.kill('SIGINT');
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), patienceMs);
    await this.#ended;
    clearTimeout(impatience);
    const counted = /^\d/m.test(this.#text);
    if (counted) return { text: this.#text };
    const reason = (this.#words || this.#text || 'it said nothing').trim().split('\n').slice(0, 3).join(' ');
    return { reason: `perf counted nothing: ${reason.slice(0, 200)}` };
  }
}
