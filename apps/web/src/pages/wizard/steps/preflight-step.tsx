import type { Preflight } from '@mqttlab/shared/messages/http';
import { IconRefresh, IconTool } from '@tabler/icons-react';
import { type ReactElement, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { useLive } from '../../../live/live-provider.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { formatClock } from '../../../ui/format.ts';
import { ActionButton } from '../../../ui/input/action-button.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { TableSkeleton } from '../../../ui/skeletons.tsx';
import { StatusBadge, StatusLine } from '../../../ui/status.tsx';
import { useIsPhone } from '../../../ui/theme.ts';
import {
  checkKind,
  type MergedCheck,
  mergeChecks,
  summarisePreflight,
  worstFirst,
} from '../model/preflight.ts';
import { stepLabel, stepOfIssue } from '../model/steps.ts';
import { useWizard } from '../model/wizard-context.tsx';
import styles from './preflight-step.module.css';
import { IssueList, StepHead } from './step-frame.tsx';

type Check = Preflight['checks'][number];

/** Checks every device before the runs. Starts automatically when the step opens. */
export function PreflightStep(): ReactElement {
  const { planning, preflight, experiment, testbed } = useWizard();
  const { checks, isPending, isOutdated, error } = preflight;
  const isReady = planning.issues.length === 0;
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current || !isReady || isPending) return;
    begun.current = true;
    if (checks === null || isOutdated) preflight.run();
  });
  const [first] = planning.issues;
  return (
    <>
      <StepHead
        title="Pre-flight"
        lead="Checks every device before the first run to prevent avoidable failures."
        actions={
          <ActionButton
            small
            icon={IconRefresh}
            loading={isPending}
            disabled={!isReady}
            onClick={preflight.run}
          >
            {checks ? 'Run the checks again' : 'Run the checks'}
          </ActionButton>
        }
      />
      {first && (
        <>
          <IssueList issues={planning.issues} />
          <p className={styles.words}>
            The checks need a plan that can run.{' '}
            <Link className="link" to={`/experiments/${experiment.id}/edit/${stepOfIssue(first)}`}>
              Go to {stepLabel(stepOfIssue(first))}
            </Link>
          </p>
        </>
      )}
      {error && !isPending && (
        <ApiErrorState
          error={error}
          lost="Nothing was lost. The draft is unchanged."
          {...(isReady ? { onRetry: preflight.run } : {})}
        />
      )}
      {isPending && <ProbingPanel testbedId={testbed.testbedId} />}
      {checks && !isPending && <Checks checks={checks} ranAtMs={preflight.ranAtMs} isOutdated={isOutdated} />}
    </>
  );
}

type ChecksProps = { checks: readonly Check[]; ranAtMs: number | null; isOutdated: boolean };

function Checks({ checks, ranAtMs, isOutdated }: ChecksProps): ReactElement {
  const isPhone = useIsPhone();
  const rows = mergeChecks(worstFirst(checks));
  const { kind, words } = summarisePreflight(checks);
  return (
    <Panel
      flush
      title="Checks"
      subtitle={
        isOutdated
          ? 'the plan has changed since then; run the checks again'
          : ranAtMs !== null && `ran at ${formatClock(ranAtMs)}`
      }
      actions={
        <span className={styles.summary} role="status">
          <StatusBadge kind={kind}>{words}</StatusBadge>
        </span>
      }
    >
      {isPhone ? <CheckList rows={rows} /> : <CheckTable rows={rows} />}
    </Panel>
  );
}

type CheckRowsProps = { rows: readonly MergedCheck[] };

const rowKey = (check: MergedCheck): string => `${check.id}:${check.devices.join()}`;

/** One row per check: result, subject, finding and remedy. */
function CheckTable({ rows }: CheckRowsProps): ReactElement {
  return (
    <DataTable
      label="Pre-flight checks"
      columns={[
        {
          id: 'status',
          head: 'Result',
          width: '152px',
          cell: (check: MergedCheck) => <StatusLine kind={checkKind(check)} />,
        },
        { id: 'check', head: 'Check', width: '34%', cell: (check) => <Probed check={check} /> },
        { id: 'evidence', head: 'Finding and remedy', cell: (check) => <Found check={check} /> },
      ]}
      rows={rows}
      rowKey={rowKey}
    />
  );
}

/** The checks on phones. */
function CheckList({ rows }: CheckRowsProps): ReactElement {
  return (
    <ul aria-label="Pre-flight checks">
      {rows.map((check) => (
        <li key={rowKey(check)} className={styles.item}>
          <StatusLine kind={checkKind(check)} />
          <Probed check={check} />
          <Found check={check} />
        </li>
      ))}
    </ul>
  );
}

function Probed({ check: { label, devices } }: { check: MergedCheck }): ReactElement {
  return (
    <span className={styles.two}>
      {label}
      <span className="second">{devices.join(', ')}</span>
    </span>
  );
}

function Found({ check: { evidence, remedy } }: { check: MergedCheck }): ReactElement {
  return (
    <span className={styles.two}>
      {evidence}
      {remedy && (
        <span className={styles.remedy}>
          <IconTool size={14} stroke={2} aria-label="Remedy:" />
          {remedy}
        </span>
      )}
    </span>
  );
}

/** Progress of a running pre-flight, with the current connection test. */
function ProbingPanel({ testbedId }: { testbedId: string }): ReactElement {
  const probing = useLive(({ testbeds }) => testbeds.find((one) => one.testbedId === testbedId)?.probing);
  const words = probing
    ? `connection test ${probing.done + 1} of ${probing.total}: start the broker, connect both clients`
    : 'querying devices, then testing every suite';
  return (
    <Panel title="Running checks" subtitle={<span role="status">{words}</span>}>
      <TableSkeleton rows={8} />
    </Panel>
  );
}
