import { Button, PasswordInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { SharedContent } from '@mqttlab/shared/messages/shares';
import { openShareSchema } from '@mqttlab/shared/messages/shares';
import { IconExternalLink, IconFileDownload, IconPlayerPlay } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { useParams } from 'react-router';
import { keyOf } from '../../api/client.ts';
import { useApi } from '../../api/use-api.ts';
import { errorsOf, readWith, useApiForm } from '../../api/use-api-form.tsx';
import { useCall } from '../../api/use-call.ts';
import { downloadBlob, fileNameFrom } from '../../charts/panels/download.ts';
import { handOver } from '../../share/share-links.ts';
import { Dialog, DialogForm } from '../../ui/dialog.tsx';
import { formatDateTime } from '../../ui/format.ts';
import { Field, TextFields } from '../../ui/input/field.tsx';
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
import { FinalBadge } from './final-badge.tsx';
import styles from './share-page.module.css';

/** Content of a share link, which is live during runs and frozen after them. */
export function SharePage(): ReactElement {
  const { token = '' } = useParams();
  const { data, error } = useApi(
    'GET /shared/{token}',
    { params: { token } },
    // A share link has no live channel.
    { refetchInterval: ({ state }) => (state.data?.live ? 2000 : false) },
  );
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

/** Password form of a share link. A successful login is stored in a cookie for this link. */
function AskPassword({ token }: { token: string }): ReactElement {
  const form = useApiForm({
    initial: { password: '' },
    call: useCall('POST /shared/{token}', {
      changes: (_content, { params }, client) => {
        void client.resetQueries({ queryKey: keyOf('GET /shared/{token}', { params }) });
        return [];
      },
    }),
    read: (values) => readWith(openShareSchema, values),
    args: (body) => ({ params: { token }, body }),
  });
  const { error: problem, ...input } = form.getInputProps('password');
  const refusal = form.error && { what: form.error.problem.detail, remedy: form.error.problem.remedy };
  return (
    <Page title="Shared link">
      <Panel padded title="This link requires a password">
        <form className={styles.ask} onSubmit={form.submit}>
          <Field label="Password" problem={problem ?? refusal ?? undefined}>
            {(control) => <PasswordInput {...input} {...control} autoComplete="off" />}
          </Field>
          <Button type="submit" loading={form.isPending} disabled={form.values.password === ''}>
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
  const badge = shared.live ? (
    <StatusBadge kind="running">Live</StatusBadge>
  ) : (
    <FinalBadge progress={content.kind === 'experiment' ? content.experiment.progress : null} />
  );
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

/** Readers can change the view, but the link always opens the shared view. */
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

type RunElsewhereProps = { experiment: Pick<ExperimentDetail, 'name' | 'draft'> };

/** Sends the plan to the reader's mqttlab, or saves it as a file. */
function RunElsewhere({ experiment }: RunElsewhereProps): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlayerPlay size={15} aria-hidden />}
        onClick={() => setIsOpen(true)}
      >
        Run this on my testbed
      </Button>
      <Dialog title="Run this on my testbed" size={480} opened={isOpen} onClose={() => setIsOpen(false)}>
        <AddressForm experiment={experiment} onDone={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

const example = 'http://192.168.1.5:8080';
const remembered = 'mqttlab-my-address';

/** The address is stored in this browser only. */
function AddressForm({ experiment, onDone }: RunElsewhereProps & { onDone: () => void }): ReactElement {
  const form = useForm({ initialValues: { address: localStorage.getItem(remembered) ?? '' } });
  const plan = `${JSON.stringify(experiment.draft, null, 2)}\n`;
  const open = form.onSubmit(({ address }) => {
    const found = handOver(address, plan);
    if ('what' in found) {
      form.setErrors(
        errorsOf({ address: { what: found.what, remedy: `Enter an address such as ${example}.` } }),
      );
      return;
    }
    localStorage.setItem(remembered, address.trim());
    window.open(found.href, '_blank', 'noopener');
    onDone();
  });
  const save = () => {
    downloadBlob(
      new Blob([plan], { type: 'application/json' }),
      `${fileNameFrom(experiment.name)}.plan.json`,
    );
    notifications.show({ message: 'Plan saved. Import it in your mqttlab: Experiments, Import plan.' });
    onDone();
  };
  return (
    <DialogForm
      noValidate
      onSubmit={() => open()}
      buttons={
        <>
          <Button variant="default" leftSection={<IconFileDownload size={15} aria-hidden />} onClick={save}>
            Save plan
          </Button>
          <Button type="submit" leftSection={<IconExternalLink size={15} aria-hidden />}>
            Open in my mqttlab
          </Button>
        </>
      }
    >
      <TextFields
        of={[
          {
            name: 'address',
            label: 'Address of your mqttlab',
            hint: 'Shows the plan there before it creates a draft. Alternatively, save the plan and import it later.',
            placeholder: example,
          },
        ]}
        form={form}
        first="address"
      />
    </DialogForm>
  );
}
