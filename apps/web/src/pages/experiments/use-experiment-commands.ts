import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { useNavigate } from 'react-router';
import {
  useCreateExperiment,
  useDeleteExperiment,
  useExperimentAction,
  usePatchExperiment,
} from '../../api/mutations.ts';
import { showProblem } from '../../api/show-problem.tsx';
import { experimentCode, experimentPath } from '../../ui/format.ts';
import { showUndoToast } from '../../ui/undo-toast.tsx';

export type ExperimentCommands = ReturnType<typeof useExperimentCommands>;

/** What a row can do; every failure says what happened. */
export function useExperimentCommands() {
  const navigate = useNavigate();
  const act = useExperimentAction();
  const removal = useDeleteExperiment();
  const creation = useCreateExperiment();
  const patch = usePatchExperiment();
  const edit = (id: number) => navigate(`/experiments/${id}/edit/question`);

  const restore = (id: number) =>
    act.mutate(
      { id, action: 'restore' },
      { onError: (error) => showProblem(`${experimentCode(id)} did not come back`, error) },
    );

  return {
    open: (experiment: ExperimentSummary) => navigate(experimentPath(experiment)),
    clone: (id: number) =>
      act.mutate(
        { id, action: 'clone' },
        {
          onSuccess: (copy) => edit(copy.id),
          onError: (error) => showProblem(`${experimentCode(id)} was not cloned`, error),
        },
      ),
    remove: (id: number) =>
      removal.mutate(id, {
        onSuccess: () =>
          showUndoToast({ message: `${experimentCode(id)} deleted`, onUndo: () => restore(id) }),
        onError: (error) => showProblem(`${experimentCode(id)} was not deleted`, error),
      }),
    keepEverything: (id: number, keepEverything: boolean) =>
      patch.mutate(
        { id, change: { keepEverything } },
        { onError: (error) => showProblem(`${experimentCode(id)} was not changed`, error) },
      ),
    create: () =>
      creation.mutate(undefined, {
        onSuccess: ({ id }) => edit(id),
        onError: (error) => showProblem('No experiment was made', error),
      }),
    isCreating: creation.isPending,
  };
}
