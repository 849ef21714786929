import { Button } from '@mantine/core';
import { enoughFor } from '@mqttlab/shared/catalogue/metrics/latency';
import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import { payloadBytesOf, stampBytes } from '@mqttlab/shared/domain/plans/trial-spec';
import { formatCount, plural } from '@mqttlab/shared/format/number';
import { formatQuantity } from '@mqttlab/shared/format/quantity';
import { expectedMessages, offeredBitsPerSecond } from '@mqttlab/shared/planning/estimate';
import type { ReactElement } from 'react';
import { DataTable } from '../../../ui/data-table.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { StatusLine } from '../../../ui/status.tsx';

import { useWizard } from '../model/wizard-context.tsx';
import styles from './messages-table.module.css';

/** Number of messages in one run, and the latency quantiles that it supports. */
export function MessagesTable(): ReactElement {
  const { planning, draft, edit } = useWizard();
  const { plan } = planning;
  const { measureMs } = draft.workload;
  if (!plan) {
    return (
      <Panel title="Messages per run" padded>
        <p className={styles.words}>Available when the plan is complete.</p>
      </Panel>
    );
  }
  const counts = countMessages(plan.treatments);
  return (
    <Panel title="Messages per run" subtitle={rangeWords(counts.messages)}>
      <p className={styles.words}>
        {counts.bitsPerSecond && `Offered: ${span(counts.bitsPerSecond, 'bit/s')} of payload. `}
        {counts.unpaced > 0 &&
          `${plural(counts.unpaced, 'treatment')} ${counts.unpaced === 1 ? 'sends' : 'send'} as fast as possible, so the number of messages is known only after the run. `}
        {counts.unstamped > 0 &&
          `${plural(counts.unstamped, 'treatment')} ${counts.unstamped === 1 ? 'has' : 'have'} payloads under 20 B, which are too small for the time stamp. Their latency is not measured. `}
        A quantile is shown only if at least ten messages in a run are beyond it.
      </p>
      {counts.messages && (
        <DataTable
          label="Latency quantiles that one run supports"
          density="dense"
          columns={[
            { id: 'p', head: 'Quantile of latency', cell: (row: QuantileReach) => quantileName(row.p) },
            {
              id: 'needed',
              head: 'Needs',
              unit: 'messages',
              numeric: true,
              cell: (row) => formatCount(row.needed),
            },
            { id: 'reached', head: 'Shown for', cell: (row) => <Reach reach={row} /> },
            {
              id: 'fix',
              head: 'For all treatments',
              cell: (row) => (
                <MeasureFor
                  seconds={secondsFor(row, counts.messages, measureMs)}
                  onChoose={(seconds) => edit({ workload: { ...draft.workload, measureMs: seconds * 1000 } })}
                />
              ),
            },
          ]}
          rows={counts.quantiles}
          rowKey={(row) => String(row.p)}
        />
      )}
    </Panel>
  );
}

function Reach({ reach: { reached, paced } }: { reach: QuantileReach }): ReactElement {
  if (reached === paced) return <StatusLine kind="passed">all treatments</StatusLine>;
  return (
    <StatusLine kind="warning">
      {reached === 0 ? 'no treatment' : `${formatCount(reached)} of ${formatCount(paced)} treatments`}
    </StatusLine>
  );
}

type MeasureForProps = { seconds: number | null; onChoose: (seconds: number) => void };

function MeasureFor({ seconds, onChoose }: MeasureForProps): ReactElement | null {
  if (seconds === null || seconds > 86_400) return null;
  return (
    <Button variant="subtle" size="compact-sm" onClick={() => onChoose(seconds)}>
      measure {formatCount(seconds)} s
    </Button>
  );
}

function quantileName(p: number): string {
  return p === 50 ? 'P50, median' : `P${p}`;
}

function rangeWords(range: Range | null): string {
  if (!range) return 'as fast as possible';
  const { min, max } = range;
  return `${min === max ? formatCount(min) : `${formatCount(min)} to ${formatCount(max)}`} messages in one run`;
}

function span({ min, max }: Range, unit: string): string {
  return min === max
    ? formatQuantity(min, unit)
    : `${formatQuantity(min, unit)} to ${formatQuantity(max, unit)}`;
}

interface Range {
  min: number;
  max: number;
}

interface QuantileReach {
  p: number;
  /** Number of messages in one run that the quantile requires. */
  needed: number;
  /** Number of paced treatments with enough messages, out of all paced treatments. */
  reached: number;
  paced: number;
}

const quantiles = [50, 95, 99, 99.9];

/** Returns the message counts for one run of each treatment. */
export function countMessages(treatments: readonly Treatment[]) {
  const counts = treatments.flatMap((treatment) => expectedMessages(treatment) ?? []);
  const bits = treatments.flatMap((treatment) => offeredBitsPerSecond(treatment) ?? []);
  return {
    /** Messages measured in one run, over paced treatments; null if there are none. */
    messages: rangeOf(counts),
    /** Offered payload in bit/s, over paced treatments. */
    bitsPerSecond: rangeOf(bits),
    /** Number of treatments that send "as fast as possible"; their message count is known only after the run. */
    unpaced: treatments.length - counts.length,
    /** Number of treatments whose payload is too small for a time stamp, so that they have no latency. */
    unstamped: treatments.filter(({ spec }) => payloadBytesOf(spec) < stampBytes).length,
    quantiles: quantiles.map((p): QuantileReach => {
      const needed = enoughFor(p);
      return { p, needed, reached: counts.filter((count) => count >= needed).length, paced: counts.length };
    }),
  };
}

function rangeOf(values: readonly number[]): Range | null {
  return values.length === 0 ? null : { min: Math.min(...values), max: Math.max(...values) };
}

/**
 * Returns the measure time in seconds that the slowest paced treatment needs for a quantile; null if all
 * treatments reach it.
 */
export function secondsFor(
  { needed, reached, paced }: QuantileReach,
  messages: Range | null,
  measureMs: number,
): number | null {
  if (!messages || messages.min <= 0 || reached === paced) return null;
  return Math.ceil((needed / messages.min) * (measureMs / 1000));
}
