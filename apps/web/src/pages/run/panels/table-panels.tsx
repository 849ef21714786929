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
import { makeTablePanel } from './run-table.tsx';

const keyOf = ({ key }: { key: string }): string => key;

type PerfRow = ReturnType<typeof perfRows>[number];

/** Devices whose kernel lets hardware counters be read. */
export function perfRows(run: DeviceEvidence) {
  return readDevices(run, ({ perf }) =>
    !perf || Object.values(perf).every((value) => value === null)
      ? null
      : {
          ...perf,
          /** Instructions for each cycle. */
          perCycle: ratio(perf.instructions, perf.cycles),
          /** Of the references to the last cache, 0 to 1. */
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

/** What the processor counted of each MQTT process while measuring. Nothing if the kernel does not report it. */
export const PerfPanel = makeTablePanel({
  title: 'Hardware counters',
  subtitle: () => 'of the MQTT processes, while measuring',
  rows: perfRows,
  columns: () => perfColumns,
  rowKey: keyOf,
});

type ClockRow = ReturnType<typeof clockRows>[number];

/** Every device whose clock was compared with the server's. */
export function clockRows(run: DeviceEvidence) {
  return readDevices(run, (result) => {
    if (!result.clock) return null;
    const { before, after } = result.clock;
    return {
      /** Server and device read one and the same clock. */
      isShared: before.uncertaintyUs === 0 && (after?.uncertaintyUs ?? 0) === 0,
      /** "+1.24 ms ± 20 µs"; null where it was not compared. */
      before: offsetWords(before),
      after: after && offsetWords(after),
      /** How far the offset used can be wrong at most. */
      bound: `±${inBestUnit(deviceBoundUs(result.clock))}`,
      /** What keeps the wall clock right. */
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
const serviceColumn = wordColumn<ClockRow>('Kept by', ({ service }) => service || NO_VALUE, {
  hideOnPhone: true,
});

/** How far the clock of each device was from the server's, before and after the load. */
export const ClocksPanel = makeTablePanel<ClockRow>({
  title: 'Clocks',
  subtitle: () => 'against the server',
  label: 'Clocks of the devices',
  rows: clockRows,
  columns: (rows) =>
    rows.some(({ service }) => service !== '') ? [...clockColumns, serviceColumn] : clockColumns,
  rowKey: keyOf,
  below: (run) => <p className={styles.below}>{skewWords(run)}</p>,
  instead: (run, rows) =>
    rows.every(({ isShared }) => isShared) ? (
      <Panel title="Clocks" padded>
        <p>
          Every device reads the server’s own clock: there is no offset, and one-way latency is exact by it.{' '}
          {skewWords(run)}
        </p>
      </Panel>
    ) : undefined,
});

/** "All began measuring within 0.82 ms ± 20 µs: the broker first, the publisher last." Empty with one device. */
function skewWords({ results }: Pick<RunDetail, 'results'>): string {
  const skew = startSkew({ results });
  if (skew === null) return '';
  const bound =
    skew.boundUs === null
      ? ' (by clocks that were not compared)'
      : skew.boundUs === 0
        ? ' by one clock'
        : ` ± ${inBestUnit(skew.boundUs)}`;
  return `All devices began measuring within ${inBestUnit(skew.skewUs)}${bound}: ${skew.first} first, ${skew.last} last.`;
}

function offsetWords({ offsetUs, uncertaintyUs }: ClockOffset): string {
  if (uncertaintyUs === 0) return 'one clock with the server';
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

/** Wireless interfaces before and after the run; nothing if none was used. */
export const RadioPanel = makeTablePanel({
  title: 'Radio',
  subtitle: () => 'of wireless interfaces, before the run and after it',
  rows: ({ results }) => radioRows(results),
  columns: () => radioColumns,
  rowKey: ({ device, what }) => `${device} ${what}`,
});

const qualities: Readonly<Record<ShapingRow['quality'], string>> = {
  'in place': 'In place',
  loss: 'Loss',
  delay: 'Delay',
  rate: 'Rate',
};

const shapingColumns: readonly Column<ShapingRow>[] = [
  wordColumn('Packets', ({ flow }) => flow, { width: '152px' }),
  wordColumn('What', ({ quality }) => qualities[quality], { width: '72px' }),
  wordColumn('Asked', ({ asked }) => asked, { width: '120px' }),
  wordColumn(
    'Measured',
    ({ ok, measured }) =>
      ok === null ? measured : <StatusLine kind={ok ? 'passed' : 'failed'}>{measured}</StatusLine>,
    { width: 'auto' },
  ),
];

/** The requested impairment of the link next to what the kernel counted; nothing for an unchanged link. */
export const ImpairmentPanel = makeTablePanel({
  title: 'Impairment',
  subtitle: ({ treatment: { spec } }) => `of the link ${spec.link}`,
  label: 'Impairment asked and measured',
  rows: ({ treatment: { spec }, results }) => shapingRows({ spec, results }),
  columns: () => shapingColumns,
  rowKey: ({ flow, quality }) => `${flow} ${quality}`,
  below: (run) => <p className={styles.note}>{tcpWords(run)}</p>,
});

function tcpWords({ treatment: { spec }, results }: RunDetail): string {
  const tcp = retransmissionsOf({ spec, results });
  if (tcp === null) return 'What TCP sent again was not counted.';
  const share = tcp.sent === 0 ? '' : ` (${formatNumber((100 * tcp.again) / tcp.sent)} %)`;
  const count = `${formatCount(tcp.again)} of ${formatCount(tcp.sent)} TCP segments${share}`;
  return `The devices sent ${count} again from warm-up to drain. Only packets of the broker’s port are touched.`;
}
