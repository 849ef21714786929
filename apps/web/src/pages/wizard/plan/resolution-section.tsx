import { drawFigure } from '@mqttlab/charts/drawing/figure';
import { pagePalette } from '@mqttlab/charts/drawing/palette';
import {
  describeResolutionCurve,
  makeResolutionCurve,
  type ResolutionCurve,
  resolutionSize,
  resolutionUnit,
} from '@mqttlab/charts/kinds/resolution';
import { describeResolution, detectableUnit } from '@mqttlab/shared/analysis/resolution';
import { formatCount, plural } from '@mqttlab/shared/format/number';
import { IconPlus } from '@tabler/icons-react';
import { type ReactElement, useMemo } from 'react';
import { PictureView } from '../../../charts/picture-view.tsx';
import { formatDuration } from '../../../ui/format.ts';
import { ActionButton } from '../../../ui/input/action-button.tsx';

import { useWizard } from '../model/wizard-context.tsx';
import planPanelStyles from './plan-panel.module.css';
import styles from './resolution-section.module.css';

/**
 * The smallest detectable difference with these repetitions, computed from the spread of similar earlier
 * runs.
 */
export function ResolutionSection(): ReactElement {
  const { forecast, draft, planning } = useWizard();
  const { resolution, earlier } = forecast;
  const view = useMemo(
    () => resolution && makeResolutionCurve(resolution, draft.repetitions),
    [resolution, draft.repetitions],
  );
  return (
    <>
      <h3 className={planPanelStyles.head}>
        What {plural(Number.isFinite(draft.repetitions) ? draft.repetitions : 0, 'repetition')} can show
      </h3>
      {resolution === undefined && planning.treatments >= 2 ? (
        <p className={planPanelStyles.note}>
          Available when {planning.canRun ? 'the server has responded' : 'the plan can run'}.
        </p>
      ) : (
        <p className={planPanelStyles.note}>
          {describeResolution({
            resolution: resolution ?? null,
            earlier,
            repetitions: draft.repetitions,
            treatments: planning.treatments,
            response: draft.response,
            workload: draft.workload.kind,
          })}
        </p>
      )}
      {planning.treatments >= 2 && resolution && view && (
        <>
          <ResolutionChart view={view} unit={detectableUnit(resolution)} />
          <MoreRepetitions />
        </>
      )}
    </>
  );
}

function MoreRepetitions(): ReactElement | null {
  const { draft, edit, planning, forecast } = useWizard();
  const { estimate } = forecast;
  if (!estimate) return null;
  const next = draft.repetitions + 1;
  return (
    <ActionButton small fullWidth icon={IconPlus} onClick={() => edit({ repetitions: next })}>
      Use {formatCount(next)}: {formatCount(planning.treatments)} more runs,{' '}
      {formatDuration(planning.treatments * estimate.runMs)}
    </ActionButton>
  );
}

/** Smallest detectable difference by number of repetitions; the chosen number is marked. */
function ResolutionChart({ view, unit }: { view: ResolutionCurve; unit: string }): ReactElement {
  const figure = describeResolutionCurve(pagePalette, { ...view, unit });
  return (
    <figure className={styles.chart}>
      <figcaption>smallest detectable difference, {resolutionUnit(view, unit)}</figcaption>
      <PictureView picture={drawFigure(figure, pagePalette, { width: resolutionSize.widthPx })} />
      <p className={styles.foot}>repetitions</p>
    </figure>
  );
}
