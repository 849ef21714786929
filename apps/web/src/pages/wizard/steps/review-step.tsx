import { Box } from '@mantine/core';
import { findFactor } from '@mqttlab/shared/catalogue/factors';
import type { Issue } from '@mqttlab/shared/domain/issue';
import type { Excluded, Plan, Treatment } from '@mqttlab/shared/domain/plans/plan';
import { formatCount, plural } from '@mqttlab/shared/format/number';
import { expectedMessages } from '@mqttlab/shared/planning/estimate';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { FieldProblemLine } from '../../../ui/input/field.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { TreatmentMark } from '../../../ui/treatment-mark.tsx';
import { capitalise, stepLabel, stepOfIssue } from '../model/steps.ts';
import { useWizard } from '../model/wizard-context.tsx';
import { reviewLines } from './review-lines.ts';
import styles from './review-step.module.css';
import { StepHead } from './step-frame.tsx';

/** The plan in sentences and tables. Open issues are first, with links. */
export function ReviewStep(): ReactElement {
  const { draft, testbed, planning, forecast, preflight, experiment } = useWizard();
  const issues = [...planning.issues, ...forecast.serverIssues];
  const path = (step: string) => `/experiments/${experiment.id}/edit/${step}`;
  return (
    <>
      <StepHead
        title="Review"
        lead={
          issues.length === 0
            ? 'After the start the plan cannot be changed. You can clone and edit it.'
            : 'Fix these issues before the start.'
        }
      />
      {issues.length > 0 && (
        <ul className={styles.issues} aria-label="Issues to fix before the start">
          {issues.map((issue) => (
            <li key={`${issue.field}:${issue.reason}`}>
              <FieldProblemLine problem={{ what: `${capitalise(issue.reason)}.`, remedy: issue.remedy }} />
              <Link className="link" to={path(stepOfIssue(issue))}>
                {stepLabel(stepOfIssue(issue))}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <PlanWarnings warnings={forecast.warnings} path={path} />
      <Panel padded>
        <dl className={styles.lines}>
          {reviewLines({ draft, testbed, planning, forecast, preflight }).map(({ step, text }) => (
            <div key={step}>
              <dt>
                <Link className={styles.step} to={path(step)}>
                  {stepLabel(step)}
                </Link>
              </dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      {planning.plan && (
        <>
          <div className={styles.gap} />
          <TreatmentTable plan={planning.plan} />
          <ExcludedTable excluded={planning.plan.excluded} />
        </>
      )}
    </>
  );
}

type PlanWarningsProps = { warnings: readonly Issue[]; path: (step: string) => string };

/** Warnings do not prevent the start. */
function PlanWarnings({ warnings, path }: PlanWarningsProps): ReactElement | null {
  if (warnings.length === 0) return null;
  return (
    <ul className={styles.warnings} aria-label="Warnings">
      {warnings.map((warning) => (
        <li key={`${warning.field}:${warning.reason}`}>
          <span>
            <b>{capitalise(warning.reason)}.</b> {warning.remedy}
          </span>
          <Link className="link" to={path(stepOfIssue(warning))}>
            {stepLabel(stepOfIssue(warning))}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** All treatments with their varied levels, in the colours and markers of the charts. */
function TreatmentTable({ plan }: { plan: Plan }): ReactElement {
  const counts = new Set(plan.treatments.map(expectedMessages));
  const columns: Column<Treatment>[] = [
    {
      id: 'treatment',
      head: 'Mark',
      cell: (row) => (
        <span className={styles.name}>
          <TreatmentMark index={row.mark} />
          {row.key === plan.baselineKey && <span className="second">baseline</span>}
        </span>
      ),
    },
    ...plan.varied.map(
      (id): Column<Treatment> => ({
        id,
        head: findFactor(id)?.label ?? id,
        sortValue: (row) => row.levels[id],
        cell: (row) => <Level id={id} value={row.levels[id] ?? null} />,
      }),
    ),
    ...(counts.size > 1 ? [messagesColumn] : []),
  ];
  return (
    <Panel flush title="Treatments" subtitle={subtitleOf(plan.treatments.length, counts)}>
      <Box
        className={styles.scroll ?? ''}
        role="region"
        aria-label="Treatments, scrolls sideways"
        tabIndex={0}
      >
        <DataTable
          label="Treatments"
          density="dense"
          columns={columns}
          rows={plan.treatments}
          rowKey={(row) => row.key}
        />
      </Box>
    </Panel>
  );
}

const messagesColumn: Column<Treatment> = {
  id: 'messages',
  head: 'Messages per run',
  numeric: true,
  sortValue: expectedMessages,
  cell: (row) => {
    const messages = expectedMessages(row);
    return messages === null ? 'as fast as possible' : formatCount(messages);
  },
};

function subtitleOf(treatments: number, counts: ReadonlySet<number | null>): string {
  const [messages] = counts;
  const each =
    messages === null || messages === undefined
      ? 'messages as fast as possible'
      : `${plural(messages, 'message')} per run`;
  return counts.size > 1 ? plural(treatments, 'treatment') : `${plural(treatments, 'treatment')}, ${each}`;
}

function Level({ id, value }: { id: string; value: string | number | null }): ReactElement {
  const factor = findFactor(id);
  if (value === null || !factor) return <span className="dim">does not apply</span>;
  return (
    <span className="nowrap" title={factor.levelLabel(value)}>
      {factor.shortLabel(value)}
    </span>
  );
}

/** Requested but impossible combinations. The report lists them, so that none is silently dropped. */
function ExcludedTable({ excluded }: { excluded: readonly Excluded[] }): ReactElement | null {
  if (excluded.length === 0) return null;
  return (
    <>
      <div className={styles.gap} />
      <Panel
        flush
        title="Struck out"
        subtitle={`${plural(excluded.length, 'combination')} ${excluded.length === 1 ? 'is' : 'are'} impossible`}
      >
        <DataTable
          label="Impossible combinations"
          columns={[
            {
              id: 'count',
              head: 'Combinations',
              numeric: true,
              width: '108px',
              sortValue: (row: ReasonRow) => row.count,
              cell: (row: ReasonRow) => formatCount(row.count),
            },
            {
              id: 'reason',
              head: 'Why',
              cell: (row) => (
                <span className={styles.two}>
                  {row.reason}
                  <span className="second">{row.remedy}</span>
                </span>
              ),
            },
            {
              id: 'levels',
              head: 'Which',
              cell: (row) => <s className={styles.struck}>{row.levels.join(', ')}</s>,
            },
          ]}
          rows={groupByReason(excluded)}
          rowKey={(row) => row.key}
        />
      </Panel>
    </>
  );
}

interface ReasonRow {
  key: string;
  /** "Cipher suite: TLS 1.2 cannot negotiate it" */
  reason: string;
  remedy: string;
  count: number;
  /** Levels of the factor that makes the combination impossible, without duplicates. */
  levels: string[];
}

/** Groups impossible combinations by their first reason, the most frequent first. */
export function groupByReason(excluded: readonly Excluded[]): ReasonRow[] {
  const rows = new Map<string, ReasonRow>();
  for (const { levels, reasons } of excluded) {
    const [first] = reasons;
    if (!first) continue;
    const factor = findFactor(first.factor);
    const key = `${first.factor}:${first.reason}`;
    const value = levels[first.factor];
    const label = value === null || value === undefined ? null : (factor?.levelLabel(value) ?? String(value));
    const row = rows.get(key) ?? {
      key,
      reason: `${factor?.label ?? first.factor}: ${first.reason}`,
      remedy: first.remedy,
      count: 0,
      levels: [],
    };
    row.count += 1;
    if (label !== null && !row.levels.includes(label)) row.levels.push(label);
    rows.set(key, row);
  }
  return [...rows.values()].sort((a, b) => b.count - a.count);
}
