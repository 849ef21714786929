import { Button } from '@mantine/core';
import { formatCount } from '@mqttlab/shared/format/number';
import { formatQuantity } from '@mqttlab/shared/format/quantity';
import { IconPlus } from '@tabler/icons-react';
import { type ReactElement, useMemo } from 'react';
import { formatDuration } from '../../../ui/format/duration.ts';
import { experimentCode } from '../../experiments/describe-experiment.ts';
import { metricLabel, plural } from '../step-summaries.ts';
import { useWizard } from '../wizard-context.tsx';
import styles from './plan-panel.module.css';
import { ResolutionChart } from './resolution-chart.tsx';
import { makeResolutionView } from './resolution-curve.ts';

/** The smallest difference these repetitions would show, from the spread of earlier runs of this kind. */
export function ResolutionSection(): ReactElement {
  const { forecast, draft, planning } = useWizard();
  const { resolution } = forecast;
  const view = useMemo(
    () => resolution && makeResolutionView(resolution, draft.repetitions),
    [resolution, draft.repetitions],
  );
  const title = (
    <h3 className={styles.head}>
      What {plural(Number.isFinite(draft.repetitions) ? draft.repetitions : 0, 'repetition')} can show
    </h3>
  );
  if (planning.treatments < 2) {
    return (
      <>
        {title}
        <p className={styles.note}>Needs two treatments at least: a single one is compared with nothing.</p>
      </>
    );
  }
  if (resolution === null) {
    return (
      <>
        {title}
        <p className={styles.note}>
          Not known: there are no earlier runs of this kind, so nobody knows how much “
          {metricLabel(draft.response)}” differs from run to run. After the first repetitions this page can
          tell; until then 5 is a fair start.
        </p>
      </>
    );
  }
  if (!resolution || !view) {
    return (
      <>
        {title}
        <p className={styles.note}>
          {planning.plan
            ? 'Follows as soon as the server has answered.'
            : 'Follows as soon as the plan can run.'}
        </p>
      </>
    );
  }
  const figure = (value: number) => formatQuantity(value, resolution.unit, { significant: 2 });
  return (
    <>
      {title}
      <p className={styles.note}>
        {view.now ? (
          <>
            {metricLabel(resolution.metric)}: differences of <b>{figure(view.now.difference)}</b> or more (80
            % power, Holm over {plural(Math.max(1, resolution.contrasts), 'contrast')}).
          </>
        ) : (
          'A single repetition shows no difference at all: nothing tells it from chance. Take two at least.'
        )}{' '}
        The spread is that of {plural(resolution.fromRuns, 'earlier run')}
        {resolution.fromExperiments.length > 0 && ` in ${codes(resolution.fromExperiments)}`}.
      </p>
      <ResolutionChart view={view} unit={resolution.unit} />
      <MoreRepetitions />
    </>
  );
}

function codes(ids: readonly number[]): string {
  const shown = ids.slice(0, 3).map(experimentCode).join(', ');
  return ids.length > 3 ? `${shown} and ${ids.length - 3} more` : shown;
}

function MoreRepetitions(): ReactElement | null {
  const { draft, edit, planning, forecast } = useWizard();
  const { estimate } = forecast;
  if (!estimate) return null;
  const next = draft.repetitions + 1;
  return (
    <Button
      fullWidth
      size="xs"
      variant="default"
      leftSection={<IconPlus size={14} stroke={2} aria-hidden />}
      onClick={() => edit({ repetitions: next })}
    >
      Use {formatCount(next)}: {formatCount(planning.treatments)} more runs,{' '}
      {formatDuration(planning.treatments * estimate.runMs)}
    </Button>
  );
}
