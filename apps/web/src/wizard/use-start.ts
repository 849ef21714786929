import { useNavigate } from 'react-router';
import { useExperimentAction } from '../api/mutations.ts';
import { showProblem } from '../api/show-problem.tsx';
import { useWizard } from './wizard-context.tsx';

/** Saves what is left, starts, and leads to the live page. */
export function useStart(): { run: () => void; isPending: boolean } {
  const { experiment, keeper } = useWizard();
  const act = useExperimentAction();
  const navigate = useNavigate();
  const { id } = experiment;
  const run = async () => {
    if (!(await keeper.flush())) {
      showProblem(
        'Not started',
        new Error('The draft is not saved yet, so the server would start another plan.'),
      );
      return;
    }
    act.mutate(
      { id, action: 'start' },
      {
        onSuccess: () => navigate(`/experiments/${id}`),
        onError: (error) => showProblem('Not started', error),
      },
    );
  };
  return { run: () => void run(), isPending: act.isPending };
}
