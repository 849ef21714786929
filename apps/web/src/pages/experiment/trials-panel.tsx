import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { type ExperimentDetail, isFinished } from '@mqttlab/shared/domain/runs/experiment';
import { inSentence } from '@mqttlab/shared/format/unit';
import { estimate } from '@mqttlab/shared/planning/estimate';
import { IconTable } from '@tabler/icons-react';
import { type ReactElement, useMemo, useState } from 'react';
import { ProgressGrid } from '../../charts/progress-grid.tsx';
import { medianRunMs } from '../../live/run-durations.ts';
import { IconButton } from '../../ui/input/buttons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { cellDecimals } from './cell-figure.ts';
import { ExcludedList } from './excluded-list.tsx';
import { StoppingLine } from './stopping-line.tsx';
import { groupAttempts } from './trial-attempts.ts';
import { makeTrialGrid } from './trial-rows.ts';
import styles from './trials-panel.module.css';
import { TrialsTable } from './trials-table.tsx';

export type TrialsPanelProps = {
  experiment: ExperimentDetail;
  plan: Plan;
  /** Server time, Unix ms. */
  nowMs: number;
  /** undefined: cells lead nowhere. */
  onOpenRun?: ((runId: number) => void) | undefined;
};

/** Treatments x repetitions filling in; the same as a table. */
export function TrialsPanel({ experiment, plan, nowMs, onOpenRun }: TrialsPanelProps): ReactElement {
  const isPhone = useIsPhone();
  const [showsTable, setShowsTable] = useState(false);
  const { runs } = experiment;
  const response = useMemo(() => describeResponse(plan.response), [plan.response]);
  const attempts = useMemo(() => groupAttempts(runs), [runs]);
  const decimals = useMemo(
    () =>
      cellDecimals(
        runs.flatMap((run) => run.metrics[plan.response] ?? []),
        isPhone ? 4 : 5,
      ),
    [runs, plan.response, isPhone],
  );
  const isOver = isFinished(experiment.status);
  const usualRunMs = useMemo(() => medianRunMs(runs) ?? estimate(plan, null).runMs, [runs, plan]);
  const grid = useMemo(
    () => makeTrialGrid(plan, attempts, { response, decimals, nowMs, usualRunMs, isOver }),
    [plan, attempts, response, decimals, nowMs, usualRunMs, isOver],
  );
  const current = runs.find((run) => run.id === experiment.currentRunId);
  const subtitle = `${inSentence(response.label)}, ${response.unit}`;
  return (
    <Panel
      title={isPhone ? 'Trials' : 'Treatments × repetitions'}
      subtitle={subtitle}
      fill={!isPhone}
      actions={
        <IconButton
          icon={IconTable}
          label={showsTable ? 'Show as a grid' : 'Show as a table'}
          pressed={showsTable}
          onClick={() => setShowsTable(!showsTable)}
        />
      }
    >
      <div className={styles.stage}>
        {!(showsTable && isPhone) && (
          <div className={styles.grid} data-hidden={showsTable || undefined} inert={showsTable}>
            <ProgressGrid
              label={`Treatments by repetitions, ${subtitle}`}
              treatmentHead={grid.treatmentHead}
              levelHeads={grid.levelHeads}
              rows={grid.rows}
              repetitions={plan.repetitions}
              {...(current ? { currentRepetition: current.block } : {})}
              onOpenRun={(runId) => onOpenRun?.(Number(runId))}
            />
          </div>
        )}
        {showsTable && (
          <div className={styles.table}>
            <TrialsTable
              plan={plan}
              attempts={attempts}
              response={response}
              decimals={decimals}
              onOpenRun={onOpenRun}
            />
          </div>
        )}
      </div>
      <StoppingLine plan={plan} runs={runs} />
      <ExcludedList excluded={plan.excluded} />
    </Panel>
  );
}

function describeResponse(id: string): { id: string; label: string; unit: string } {
  const metric = findMetric(id);
  return { id, label: metric?.label ?? id, unit: metric?.unit ?? '' };
}
