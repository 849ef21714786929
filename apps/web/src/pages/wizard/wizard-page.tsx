import { Button } from '@mantine/core';
import { IconArrowRight, IconCopy } from '@tabler/icons-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import { Link, Navigate, useParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { useApi } from '../../api/use-api.ts';
import { experimentCode } from '../../ui/format.ts';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { useExperimentCommands } from '../experiments/use-experiment-commands.ts';
import { findStep } from './model/steps.ts';
import { WizardView } from './wizard-view.tsx';

const above = [{ label: 'Experiments', to: '/experiments' }];

/** The wizard of an experiment. Each step has its own address. */
export function WizardPage(): ReactElement {
  const { id: text = '', step } = useParams();
  const id = /^\d{1,9}$/.test(text) ? Number(text) : null;
  const experiment = useApi('GET /experiments/{id}', id === null ? null : { params: { id } });
  const testbeds = useApi('GET /testbeds', {}, { select: ({ items }) => items });

  const isOpenDraft = experiment.data?.id === id && experiment.data?.status === 'draft';
  const [editedId, setEditedId] = useState<number | null>(null);
  if (isOpenDraft && editedId !== id) setEditedId(id);

  if (id === null) {
    return (
      <Frame title="Experiment not found">
        <ErrorState
          happened={`“${text}” is not the number of an experiment.`}
          lost="Nothing was lost."
          nextStep="Open it from the list of experiments."
        />
      </Frame>
    );
  }
  const error = experiment.data ? testbeds.error && !testbeds.data && testbeds.error : experiment.error;
  if (error) {
    const retry = () => {
      void experiment.refetch();
      void testbeds.refetch();
    };
    return (
      <Frame title={experimentCode(id)}>
        <ApiErrorState error={error} onRetry={retry} />
      </Frame>
    );
  }
  if (!experiment.data || !testbeds.data) {
    return (
      <Page title={experimentCode(id)} breadcrumbs={above} layout="bare">
        <PageSkeleton />
      </Page>
    );
  }
  const isDraft = experiment.data.status === 'draft';
  // The experiment was started here, in another tab or with the command line. The live event may arrive
  // before the response.
  if (!isDraft && editedId === id) return <Navigate to={`/experiments/${id}`} replace />;
  if (!isDraft || experiment.data.deletedAt !== null) {
    return <Settled id={id} isDeleted={experiment.data.deletedAt !== null} />;
  }
  const [first] = testbeds.data;
  if (!first) {
    return (
      <Frame title={experimentCode(id)}>
        <EmptyState sentence="No testbed is connected yet. The built-in one starts with the server. Wait a moment or check Devices." />
      </Frame>
    );
  }
  return (
    <WizardView
      key={id}
      experiment={experiment.data}
      testbeds={[first, ...testbeds.data.slice(1)]}
      step={findStep(step)}
    />
  );
}

function Frame({ title, children }: { title: string; children: ReactNode }): ReactElement {
  return (
    <Page title={title} breadcrumbs={above}>
      {children}
    </Page>
  );
}

/** Shown for a started experiment, whose plan is immutable. A clone can be edited. */
function Settled({ id, isDeleted }: { id: number; isDeleted: boolean }): ReactElement {
  const commands = useExperimentCommands();
  const code = experimentCode(id);
  return (
    <Frame title={code}>
      <EmptyState
        sentence={
          isDeleted
            ? `${code} was deleted. You can clone and edit it.`
            : `${code} has started, so its plan cannot be changed. You can clone and edit it.`
        }
        action={
          <span style={{ display: 'flex', gap: 8 }}>
            <ActionButton icon={IconCopy} onClick={() => commands.clone(id)}>
              Clone and edit
            </ActionButton>
            {!isDeleted && (
              <Button
                component={Link}
                to={`/experiments/${id}`}
                rightSection={<IconArrowRight size={16} stroke={2} aria-hidden />}
              >
                Open {code}
              </Button>
            )}
          </span>
        }
      />
    </Frame>
  );
}
