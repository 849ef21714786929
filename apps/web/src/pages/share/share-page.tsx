import { Button, PasswordInput } from '@mantine/core';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { SharedContent } from '@mqttlab/shared/messages/shares';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useParams } from 'react-router';
import { api } from '../../api/client.ts';
import { useSharedContent } from '../../api/queries.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { formatDateTime } from '../../ui/format.ts';
import { Field, fieldProblemOf } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { parseCompareState } from '../compare/compare-state.ts';
import { CompareView } from '../compare/compare-view.tsx';
import { ExperimentView } from '../experiment/experiment-view.tsx';
import { describeRun, RunBadge, RunView, runTitle } from '../run/run-view.tsx';
import { SharedStudyRun } from '../studies/documents/shared-study-run.tsx';
import { RunElsewhere } from './run-elsewhere.tsx';
import styles from './share-page.module.css';

/** What a share link shows: frozen once all of it has settled, live before. */
export function SharePage(): ReactElement {
  const { token = '' } = useParams();
  const { data, error } = useSharedContent(token);
  if (error?.problem.status === 401) return <AskPassword token={token} />;
  if (error) {
    return (
      <Page title="Shared link">
        <ErrorState
          happened={error.problem.detail}
          lost="Nothing was lost."
          nextStep={error.problem.remedy}
        />
      </Page>
    );
  }
  return data ? <SharedPage shared={data} /> : <PageSkeleton />;
}

/** The link asks for its password; a cookie of this link alone then says that it was right. */
function AskPassword({ token }: { token: string }): ReactElement {
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const open = useMutation<SharedContent, ApiError, string>({
    mutationFn: (shown) => api.openShared(token, shown),
    onSuccess: () => client.resetQueries({ queryKey: queryKeys.shared(token) }),
  });
  const problem =
    fieldProblemOf(open.error, 'password') ??
    (open.error ? { what: open.error.problem.detail, remedy: open.error.problem.remedy } : undefined);
  return (
    <Page title="Shared link">
      <Panel padded title="This link asks for a password">
        <form
          className={styles.ask}
          onSubmit={(event) => {
            event.preventDefault();
            if (password !== '') open.mutate(password);
          }}
        >
          <Field label="Password" problem={problem}>
            {(control) => (
              <PasswordInput
                {...control}
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
                autoComplete="off"
              />
            )}
          </Field>
          <Button type="submit" loading={open.isPending} disabled={password === ''}>
            Open
          </Button>
        </form>
      </Panel>
    </Page>
  );
}

function SharedPage({ shared }: { shared: SharedContent }): ReactElement {
  const isPhone = useIsPhone();
  const { content } = shared;
  const state = shared.live
    ? 'live'
    : shared.frozenAt === null
      ? ''
      : `frozen ${formatDateTime(shared.frozenAt)}`;
  if (content.kind === 'run') {
    return (
      <Page
        title={runTitle(content.run)}
        badge={<RunBadge run={content.run} />}
        subtitle={describeRun(content.run)}
      >
        <RunView run={content.run} token={shared.share.token} readOnly />
      </Page>
    );
  }
  const badge = shared.live ? <StatusBadge kind="running">Live</StatusBadge> : <StatusBadge kind="done" />;
  if (content.kind === 'experiment') {
    return (
      <Page
        title={content.experiment.name}
        badge={badge}
        subtitle={state}
        actions={<RunElsewhere experiment={content.experiment} />}
      >
        {isPhone && <RunElsewhere experiment={content.experiment} />}
        <ExperimentView
          experiment={content.experiment}
          nowMs={Date.now()}
          comparison={content.comparison}
          series={content.series}
          readOnly
        />
        <SharedComparison comparison={content.comparison} series={null} view="" isAnswered />
      </Page>
    );
  }
  if (content.kind === 'study') {
    return (
      <Page title={content.run.title} badge={badge} subtitle={state}>
        <SharedStudyRun content={content} />
      </Page>
    );
  }
  return (
    <Page title={shared.share.title} badge={badge} subtitle={state}>
      <SharedComparison comparison={content.comparison} series={content.series} view={content.view} />
    </Page>
  );
}

type Viewed = Extract<SharedContent['content'], { kind: 'view' }>;
type SharedComparisonProps = {
  comparison: Viewed['comparison'];
  series: Viewed['series'] | null;
  view: string;
  isAnswered?: boolean;
};

/** The reader may look at it in other ways; the link keeps what was shared. */
function SharedComparison({
  comparison,
  series,
  view,
  isAnswered = false,
}: SharedComparisonProps): ReactElement {
  const [state, setState] = useState(() => parseCompareState(view));
  return (
    <CompareView
      comparison={comparison}
      series={series}
      isSeriesFixed
      isAnswered={isAnswered}
      state={state}
      onChange={(change) => setState((now) => ({ ...now, ...change }))}
    />
  );
}
