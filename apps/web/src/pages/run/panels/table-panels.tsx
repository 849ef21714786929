import { deviceBoundUs } from '@mqttlab/shared/catalogue/evidence/evidence';
import { type RadioRow, radioRows } from '@mqttlab/shared/catalogue/evidence/radio-evidence';
import {
  retransmissionsOf,
  type ShapingRow,
  shapingRows,
  startSkew,
} from '@mqttlab/shared/catalogue/evidence/shaping-evidence';
import type { ClockOffset, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatCount, formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { formatQuantity, formatShare } from '@mqttlab/shared/format/quantity';
import { figureColumn, wordColumn } from '../../../ui/columns.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { StatusLine } from '../../../ui/status.tsx';
import styles from './panels.module.css';
import { type DeviceEvidence, readDevices } from './run-devices.tsx';
import { makeTablePanel, panelTable } from './run-table.tsx';

const keyOf = ({ key }: { key: string }): string => key;

type PerfRow = ReturnType<typeof perfRows>[number];

/** Returns the devices with readable hardware counters. */
export function perfRows(run: DeviceEvidence) {
  return readDevices(run, ({ perf }) =>
    !perf || Object.values(perf).every((value) => value === null)
      ? null
      : {
          ...perf,
          /** Instructions per cycle. */
          perCycle: ratio(perf.instructions, perf.cycles),
          /** Cache misses as a share of the last-level cache references, 0 to 1. */
          missRatio: ratio(perf.cacheMisses, perf.cacheReferences),
        },
  );
}

function ratio(part: number | null, whole: number | null): number | null {
  return part === null || !whole ? null : part / whole;
}

const millions = { unit: 'M', format: (value: number) => formatNumber(value / 1e6) };

const perfColumns: readonly Column<PerfRow>[] = [
  wordColumn('Process', ({ label }) => label),
  figureColumn('Cycles', ({ cycles }) => cycles, millions),
  figureColumn('Instructions', ({ instructions }) => instructions, millions),
  figureColumn('Per cycle', ({ perCycle }) => perCycle),
  figureColumn('Cache references', ({ cacheReferences }) => cacheReferences, millions),
  figureColumn('Missed', ({ missRatio }) => missRatio, { format: formatShare }),
];

/** Hardware counters of each MQTT process while measuring. Hidden if the kernel does not provide them. */
export const PerfPanel = makeTablePanel({
  title: 'Hardware counters',
  subtitle: () => 'of the MQTT processes, while measuring',
  read: perfRows,
  tables: [
    panelTable({
      label: 'Hardware counters',
      rows: (rows: readonly PerfRow[]) => rows,
      columns: perfColumns,
      rowKey: keyOf,
    }),
  ],
});

type ClockRow = ReturnType<typeof clockRows>[number];

/** Returns the devices whose clock was compared with the server's. */
export function clockRows(run: DeviceEvidence) {
  return readDevices(run, (result) => {
    if (!result.clock) return null;
    const { before, after } = result.clock;
    return {
      /** True if server and device share a clock. */
      isShared: before.uncertaintyUs === 0 && (after?.uncertaintyUs ?? 0) === 0,
      /** "+1.24 ms ± 20 µs"; null if not compared. */
      before: offsetWords(before),
      after: after && offsetWords(after),
      /** Maximum error of the applied offset. */
      bound: `±${inBestUnit(deviceBoundUs(result.clock))}`,
      /** Service that synchronises the wall clock. */
      service: serviceWords(result),
    };
  });
}

const clockColumns: readonly Column<ClockRow>[] = [
  wordColumn('Device', ({ label }) => label),
  wordColumn('Offset before', ({ before }) => <span className="nowrap">{before}</span>),
  wordColumn('After', ({ after }) => <span className="nowrap">{after ?? NO_VALUE}</span>),
  { ...wordColumn('Bound', ({ bound }) => bound), numeric: true },
];
const serviceColumn = wordColumn<ClockRow>('Synchronised by', ({ service }) => service || NO_VALUE, {
  hideOnPhone: true,
});

/** Clock offset between each device and the server, before and after the load. */
export const ClocksPanel = makeTablePanel({
  title: 'Clocks',
  subtitle: () => 'offset to the server',
  read: clockRows,
  tables: [
    panelTable({
      label: 'Clocks of the devices',
      rows: (rows: readonly ClockRow[]) => rows,
      columns: (rows) =>
        rows.some(({ service }) => service !== '') ? [...clockColumns, serviceColumn] : clockColumns,
      rowKey: keyOf,
    }),
  ],
  below: (run) => <p className={styles.below}>{skewWords(run)}</p>,
  instead: (run, rows) =>
    rows.every(({ isShared }) => isShared) ? (
      <Panel title="Clocks" padded>
        <p>
          All devices share the server’s clock. There is no offset, so one-way latency is exact.{' '}
          {skewWords(run)}
        </p>
      </Panel>
    ) : undefined,
});

/**
 * Returns "All began measuring within 0.82 ms ± 20 µs: the broker first, the publisher last."; '' for one
 * device.
 */
function skewWords({ results }: Pick<RunDetail, 'results'>): string {
  const skew = startSkew({ results });
  if (skew === null) return '';
  const bound =
    skew.boundUs === null
      ? ' (according to clocks that were not compared)'
      : skew.boundUs === 0
        ? ' by one clock'
        : ` ± ${inBestUnit(skew.boundUs)}`;
  return `All devices began measuring within ${inBestUnit(skew.skewUs)}${bound}: ${skew.first} first, ${skew.last} last.`;
}

function offsetWords({ offsetUs, uncertaintyUs }: ClockOffset): string {
  if (uncertaintyUs === 0) return 'shares the server’s clock';
  return `${formatQuantity(offsetUs / 1000, 'ms', { signed: true })} ± ${inBestUnit(uncertaintyUs)}`;
}

function inBestUnit(us: number): string {
  return formatQuantity(us / 1000, 'ms');
}

function serviceWords({ environment }: RoleResult): string {
  const service = environment['clock.service'] ?? environment['time.service'];
  if (typeof service !== 'string' || service === '') return '';
  const synchronised = environment['clock.synchronised'] ?? environment['time.synchronised'];
  return synchronised === false ? `${service}, not synchronised` : service;
}

const radioColumns: readonly Column<RadioRow>[] = [
  wordColumn('Device', ({ device }) => device, { width: '168px' }),
  wordColumn('WiFi', ({ what }) => what, { width: '144px' }),
  wordColumn('Before', ({ before }) => before, { width: 'auto' }),
  wordColumn('After', ({ after }) => after, { width: 'auto' }),
];

/** Wireless interfaces before and after the run; hidden if none was used. */
export const RadioPanel = makeTablePanel({
  title: 'Radio',
  subtitle: () => 'of wireless interfaces, before and after the run',
  read: ({ results }) => radioRows(results),
  tables: [
    panelTable({
      label: 'Radio',
      rows: (rows: readonly RadioRow[]) => rows,
      columns: radioColumns,
      rowKey: ({ device, what }) => `${device} ${what}`,
    }),
  ],
});

const qualities: Readonly<Record<ShapingRow['quality'], string>> = {
  'in place': 'In place',
  loss: 'Loss',
  delay: 'Delay',
  rate: 'Rate',
};

const shapingColumns: readonly Column<ShapingRow>[] = [
  wordColumn('Packets', ({ flow }) => flow, { width: '152px' }),
  wordColumn('Setting', ({ quality }) => qualities[quality], { width: '72px' }),
  wordColumn('Requested', ({ asked }) => asked, { width: '120px' }),
  wordColumn(
    'Measured',
    ({ ok, measured }) =>
      ok === null ? measured : <StatusLine kind={ok ? 'passed' : 'failed'}>{measured}</StatusLine>,
    { width: 'auto' },
  ),
];

/** Requested link impairment next to the kernel's counters; hidden for an unimpaired link. */
export const ImpairmentPanel = makeTablePanel({
  title: 'Impairment',
  subtitle: ({ treatment: { spec } }) => `of the link ${spec.link}`,
  read: ({ treatment: { spec }, results }) => shapingRows({ spec, results }),
  tables: [
    panelTable({
      label: 'Impairment requested and measured',
      rows: (rows: readonly ShapingRow[]) => rows,
      columns: shapingColumns,
      rowKey: ({ flow, quality }) => `${flow} ${quality}`,
    }),
  ],
  below: (run) => <p className={styles.note}>{tcpWords(run)}</p>,
});

function tcpWords({ treatment: { spec }, results }: RunDetail): string {
  const tcp = retransmissionsOf({ spec, results });
  if (tcp === null) return 'TCP retransmissions were not counted.';
  const share = tcp.sent === 0 ? '' : ` (${formatNumber((100 * tcp.again) / tcp.sent)} %)`;
  const count = `${formatCount(tcp.again)} of ${formatCount(tcp.sent)} TCP segments${share}`;
  return `Retransmitted from warm-up to drain: ${count}. Only packets on the broker’s port are affected.`;
}
