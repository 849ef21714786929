import { Progress } from '@mantine/core';
import type { ReactElement } from 'react';
import { useParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { noSuch, parseId } from '../../api/no-such.ts';
import { useReport, useReportProgress } from '../../api/queries.ts';
import { ExportMenu } from '../../share/export-menu.tsx';
import { experimentCode } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { CiteMenu } from './cite-menu.tsx';
import { FlaggedSwitch, ReadingActions, useFlagged } from './reading-actions.tsx';
import styles from './report.module.css';
import { ReportView } from './report-view.tsx';

/** The results section of an experiment. */
export function ReportPage(): ReactElement {
  const { id } = useParams();
  const number = parseId(id);
  const flagged = useFlagged();
  const { data, error, isPending, refetch } = useReport(number, flagged);
  const code = number === null ? 'Experiment' : experimentCode(number);
  const breadcrumbs = [
    { label: 'Experiments', to: '/experiments' },
    ...(number === null ? [] : [{ label: code, to: `/experiments/${number}` }]),
  ];
  const flaggedRuns = data?.validity.flagged ?? 0;
  return (
    <Page
      title={data ? `Report: ${data.experiment.name}` : 'Report'}
      crumb="Report"
      breadcrumbs={breadcrumbs}
      actions={
        <>
          <ReadingActions flaggedRuns={flaggedRuns} />
          {data && <CiteMenu report={data} />}
          {number !== null && <ExportMenu id={number} flagged={flagged} />}
        </>
      }
      phoneActions={<FlaggedSwitch flaggedRuns={flaggedRuns} label={`${flaggedRuns} flagged`} />}
    >
      {error && <ApiErrorState error={error} onRetry={() => void refetch()} />}
      {number === null && !error && <ApiErrorState error={noSuch('experiment', id)} />}
      {number !== null && isPending && !error && <Working id={number} flagged={flagged} />}
      {data && <ReportView report={data} />}
    </Page>
  );
}

function Working({ id, flagged }: { id: number; flagged: boolean }): ReactElement {
  const progress = useReportProgress(id, flagged).data;
  const share = progress && progress.all > 0 ? (progress.done / progress.all) * 100 : 0;
  return (
    <Panel padded>
      <div className={styles.working} role="status">
        <p>The report is being computed: intervals, effects, bootstraps. Leaving the page stops it.</p>
        <Progress value={share} aria-label="Parts of the report that are ready" />
      </div>
    </Panel>
  );
}
