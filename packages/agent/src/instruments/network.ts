import { join } from 'node:path';
import type { RoleFailure, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { listFolder, readText } from '../processes/files.ts';
import type { MakeInstrument } from './instrument.ts';
import { type Collector, ProcFile, RateOfCounter } from './sampler.ts';

/** Bytes through the link's interface as a series, and through every interface as facts. */
export const network: MakeInstrument = ({ device: { sysRoot }, link }) => {
  let traffic: Traffic | null = null;
  let facts: RoleResult['environment'] = {};
  return {
    name: 'device',
    collectors: () => [['trial', makeNetworkCollector(sysRoot, link.name)]],
    start: () => {
      traffic = readTraffic(sysRoot);
    },
    stop: () => {
      if (traffic !== null) facts = trafficSince(traffic, sysRoot);
    },
    contribute: () => ({ environment: facts }),
  };
};

/** Ends the run if the link's interface stays down. */
export const linkWatch: MakeInstrument = ({ device: { sysRoot }, link, onFailure }) => {
  if (link.kind === 'loopback') return null;
  const watch = new LinkWatch({ sysRoot, name: link.name, onDown: onFailure });
  return { name: 'link', start: () => watch.start(), stop: () => watch.stop() };
};

const usPerSecond = 1e6;

/**
 * Collects 'network.rx' and 'network.tx': bytes per second through one interface, including all traffic on
 * it.
 */
export function makeNetworkCollector(sysRoot: string, interfaceName: string): Collector {
  const folder = join(sysRoot, 'class/net', interfaceName, 'statistics');
  const counters = ['rx_bytes', 'tx_bytes'].map((name) => ({
    file: new ProcFile(join(folder, name), 64),
    rate: new RateOfCounter(),
  }));
  return {
    name: 'network',
    metrics: [
      { metric: 'network.rx', unit: 'B/s' },
      { metric: 'network.tx', unit: 'B/s' },
    ],
    read: (nowUs) =>
      counters.map(({ file, rate }) => {
        const perUs = rate.next(Number.parseInt(file.read(), 10), nowUs);
        // A 32-bit counter that wrapped, or an interface that was reset: there is no valid value.
        return perUs === null || perUs < 0 ? null : perUs * usPerSecond;
      }),
    close: () => {
      for (const { file } of counters) file.close();
    },
  };
}

type Traffic = ReadonlyMap<string, number>;

/** Returns the bytes through every interface since `before`. */
function trafficSince(before: Traffic, sysRoot: string): RoleResult['environment'] {
  const facts: RoleResult['environment'] = {};
  for (const [name, bytes] of readTraffic(sysRoot)) {
    const more = bytes - (before.get(name) ?? bytes);
    // A counter that decreased was reset and has no valid value.
    if (more >= 0) facts[name] = more;
  }
  return facts;
}

function readTraffic(sysRoot: string): Traffic {
  const root = join(sysRoot, 'class/net');
  const counters = ['rx', 'tx'] as const;
  const found = new Map<string, number>();
  for (const name of listFolder(root)) {
    for (const counter of counters) {
      const text = readText(join(root, name, 'statistics', `${counter}_bytes`));
      if (text !== null) found.set(`network.${name}.${counter}Bytes`, Number(text));
    }
  }
  return found;
}

interface LinkWatchOptions {
  sysRoot: string;
  /** Interface name used by the kernel. */
  name: string;
  onDown: (failure: RoleFailure) => void;
  everyMs?: number;
}

/** Interface states without traffic (Linux: Documentation/ABI/testing/sysfs-class-net, RFC 2863). */
const dead = new Set(['down', 'lowerlayerdown', 'notpresent', 'dormant', 'gone']);
/**
 * Number of checks before the link counts as down. An access point that reconnects within one check is not a
 * fault.
 */
const looksUntilDown = 2;

/** Reports once if a run's interface stays down. */
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
    this.#timer = setInterval(() => this.#check(), this.#options.everyMs ?? 500);
  }

  /** Idempotent. */
  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #check(): void {
    const { sysRoot, name, onDown } = this.#options;
    const state = readText(join(sysRoot, 'class/net', name, 'operstate')) ?? 'gone';
    this.#looksDown = dead.has(state) ? this.#looksDown + 1 : 0;
    if (this.#looksDown < looksUntilDown) return;
    this.stop();
    onDown({
      code: 'link-down',
      message: `The interface ${name} on this device went down during the run (${state}).`,
      remedy:
        'Check its cable, its access point and the programs that can switch it off, then retry the run.',
    });
  }
}
