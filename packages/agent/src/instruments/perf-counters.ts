import { join } from 'node:path';
import type { PerfCounters } from '@mqttlab/shared/domain/runs/role-result';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import { callAt } from '../load/pacing/clock.ts';
import type { ChildRecords } from '../processes/child-records.ts';
import { listFolder } from '../processes/files.ts';
import type { RunCommand } from '../processes/programs.ts';
import type { MakeInstrument } from './instrument.ts';

/** Events of perf-stat(1) and the metric for each event. */
const events = {
  cycles: 'cycles',
  instructions: 'instructions',
  'cache-references': 'cacheReferences',
  'cache-misses': 'cacheMisses',
} as const satisfies Record<string, keyof PerfCounters>;

const killAfterMs = 2_000;

/** Hardware counters for the MQTT processes in the measure phase. */
export const perfCounters: MakeInstrument = ({
  device: { clock, records, sensors },
  clock: { offsetUs },
}) => {
  if (sensors.perfRefusal !== null) return null;
  let counting: PerfCounting | null = null;
  let cancels: (() => void)[] = [];
  return {
    name: 'perf',
    start: (at, { pids }) => {
      if (pids.length === 0) return;
      const started = new PerfCounting({ pids, records });
      counting = started;
      cancels = [
        callAt(clock, at.measureAtUs - offsetUs, () => started.enable()),
        callAt(clock, at.stopAtUs - offsetUs, () => started.disable()),
      ];
    },
    stop: () => {
      for (const cancel of cancels) cancel();
    },
    contribute: async () => {
      const outcome = await counting?.finish();
      if (outcome === undefined) return {};
      if ('text' in outcome) return { perf: parsePerf(outcome.text) };
      return { degraded: [{ collector: 'perf', reason: outcome.reason }] };
    },
  };
};

/**
 * Returns the reason why hardware counters are unavailable on this device; null if they are available.
 * Bounded by `runCommand`.
 */
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
    return `perf cannot count on this device: ${reason.split('\n').slice(0, 3).join(' ').slice(0, 200)}`;
  }
  const counted = Object.values(parsePerf(text)).some((value) => value !== null);
  return counted ? null : 'perf is available, but the processor supports none of the counters';
}

/**
 * Returns true if the processor's counters exist: "cpu" on x86 ("cpu_core" if it has two kinds of cores),
 * "armv8_..." on ARM.
 */
function hasCounters(sysRoot: string): boolean {
  return listFolder(join(sysRoot, 'bus/event_source/devices')).some(
    (name) => name === 'cpu' || name === 'cpu_core' || name.startsWith('armv'),
  );
}

/**
 * Parses the output of `perf stat -x ,`: value, unit, event and other fields; "<not supported>" instead of a
 * missing number.
 */
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

export interface PerfCountingOptions {
  pids: readonly number[];
  records: ChildRecords;
  /** Events that replace the usual ones, for machines without hardware counters. */
  eventNames?: readonly string[];
}

/** Counts the events in some processes, including all their threads, between `enable` and `disable`. */
export class PerfCounting {
  readonly #child: ManagedChild;
  #text = '';

  constructor({ pids, records, eventNames = Object.keys(events) }: PerfCountingOptions) {
    const args = ['stat', '--log-fd', '1', '-x', ',', '-e', eventNames.join(','), '-p', pids.join(',')];
    this.#child = new ManagedChild({
      command: 'perf',
      // perf reads "enable" and "disable" from fd 3; -1 starts with counting disabled.
      args: [...args, '--control', 'fd:3', '-D', '-1'],
      inputDescriptor: 3,
      environment: { LC_ALL: 'C' },
      stdout: 'stream',
      killAfterMs,
      records,
    });
    this.#child.start();
    this.#child.output.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString();
    });
  }

  enable(): void {
    this.#child.input.write('enable\n');
  }

  disable(): void {
    this.#child.input.write('disable\n');
  }

  /** Stops the program. Returns its counts, or the reason why there are none. Never rejects. */
  async finish(): Promise<{ text: string } | { reason: string }> {
    await this.#child.stop('SIGINT');
    if (/^\d/m.test(this.#text)) return { text: this.#text };
    const said = [...this.#child.lines, ...this.#text.trim().split('\n')].filter((line) => line !== '');
    const reason = said.slice(0, 3).join(' ') || 'no output';
    return { reason: `perf returned no counts: ${reason.slice(0, 200)}` };
  }
}
