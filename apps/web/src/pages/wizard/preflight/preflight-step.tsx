import { Button } from '@mantine/core';
import type { Preflight } from '@mqttlab/shared/messages/http';
import { IconRefresh } from '@tabler/icons-react';
import { type ReactElement, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { formatClock } from '../../../ui/format/time.ts';
import { Panel } from '../../../ui/panel.tsx';
import { StatusBadge } from '../../../ui/status.tsx';
import { useIsPhone } from '../../../ui/use-is-phone.ts';
import { IssueList } from '../frame/issue-list.tsx';
import { StepHead } from '../frame/step-head.tsx';
import { stepLabel, stepOfIssue } from '../steps.ts';
import { useWizard } from '../wizard-context.tsx';
import { CheckList, CheckTable } from './check-rows.tsx';
import styles from './preflight-step.module.css';
import { ProbingPanel } from './probing-panel.tsx';
import { mergeChecks, summarisePreflight, worstFirst } from './summarise-preflight.ts';

type Check = Preflight['checks'][number];

/** Probes every device before the runs do; begins by itself when the step opens. */
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
        lead="Probes every device now, so that no run fails for a reason that could be known."
        actions={
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={14} stroke={2} aria-hidden />}
            loading={isPending}
            disabled={!isReady}
            onClick={preflight.run}
          >
            {checks ? 'Run again' : 'Run'}
          </Button>
        }
      />
      {first && (
        <>
          <IssueList issues={planning.issues} />
          <p className={styles.words}>
            Probing needs a plan that can run.{' '}
            <Link className="link" to={`/experiments/${experiment.id}/edit/${stepOfIssue(first)}`}>
              Go to {stepLabel(stepOfIssue(first))}
            </Link>
          </p>
        </>
      )}
      {error && !isPending && (
        <ApiErrorState
          error={error}
          lost="Nothing was lost; the draft is as it was."
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
          ? 'the plan has changed since: run it again'
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
