import { Button } from '@mantine/core';
import { plural } from '@mqttlab/shared/format/number';
import { IconArrowLeft, IconArrowRight, IconPlayerPlay } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api } from '../../api/client.ts';
import { keepExperiment } from '../../api/mutations.ts';
import { showProblem } from '../../api/show-problem.tsx';
import { ActionButton } from '../../ui/input/buttons.tsx';
import { type StepId, stepIndex, steps } from './model/steps.ts';
import { useWizard } from './model/wizard-context.tsx';
import styles from './wizard-footer.module.css';

type WizardFooterProps = {
  step: StepId;
  /** In the phone's bottom bar: two buttons side by side. */
  isPhone?: boolean;
};

/** Back, save and close, and the one primary button: on to the next step, or start. */
export function WizardFooter({ step, isPhone = false }: WizardFooterProps): ReactElement {
  const { experiment, store } = useWizard();
  const navigate = useNavigate();
  const index = stepIndex(step);
  const [before, after] = [steps[index - 1], steps[index + 1]];
  const path = (id: StepId) => `/experiments/${experiment.id}/edit/${id}`;
  const close = async () => {
    await store.flush();
    await navigate('/experiments');
  };
  const back = before && (
    <Button
      component={Link}
      to={path(before.id)}
      variant="default"
      leftSection={<IconArrowLeft size={16} stroke={2} aria-hidden />}
    >
      {before.label}
    </Button>
  );
  const onward = after ? (
    <Button
      component={Link}
      to={path(after.id)}
      rightSection={<IconArrowRight size={16} stroke={2} aria-hidden />}
    >
      {isPhone ? after.label : `Next: ${after.label}`}
    </Button>
  ) : (
    <StartButton />
  );
  if (isPhone) {
    return (
      <nav className={styles.phone} aria-label="Back and on">
        {back}
        {onward}
      </nav>
    );
  }
  return (
    <footer className={styles.foot}>
      {back}
      <span className={styles.space} />
      <Button variant="subtle" color="gray" onClick={() => void close()}>
        Save and close
      </Button>
      {onward}
    </footer>
  );
}

function StartButton(): ReactElement {
  const { planning, save } = useWizard();
  const start = useStart();
  const reason =
    planning.issues.length > 0
      ? `${plural(planning.issues.length, 'thing')} to fix first`
      : save.kind === 'conflict'
        ? 'Choose between the two versions first'
        : undefined;
  return (
    <ActionButton
      variant="filled"
      icon={IconPlayerPlay}
      disabled={reason !== undefined}
      title={reason}
      loading={start.isPending}
      onClick={start.run}
    >
      Start {plural(planning.runs, 'run')}
    </ActionButton>
  );
}

/** Saves what is left, starts, and leads to the live page. */
function useStart(): { run: () => void; isPending: boolean } {
  const { experiment, store } = useWizard();
  const [isPending, setPending] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const { id } = experiment;
  const run = async () => {
    setPending(true);
    try {
      if (!(await store.flush())) {
        throw new Error('The draft is not saved yet, so the server would start an older plan.');
      }
      const started = await api.act(id, 'start');
      // The wizard of a started experiment is gone, so the page changes before the news is spread.
      await navigate(`/experiments/${id}`);
      keepExperiment(client, started);
    } catch (error) {
      showProblem('Not started', error);
    } finally {
      setPending(false);
    }
  };
  return { run: () => void run(), isPending };
}
