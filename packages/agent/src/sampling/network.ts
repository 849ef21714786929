import { join } from 'node:path';
import { type Collector, RateOfCounter } from './collector.ts';
import { ProcFile } from './proc-file.ts';

const usPerSecond = 1e6;

/** 'network.rx' and 'network.tx': bytes per second through one interface, everything on it counted. */
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
        // A 32-bit counter that wrapped, or an interface that was reset: no value rather than a wrong one.
        return perUs === null || perUs < 0 ? null : perUs * usPerSecond;
      }),
    close: () => {
      for (const { file } of counters) file.close();
    },
  };
}
