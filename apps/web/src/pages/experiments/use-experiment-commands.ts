import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { useNavigate } from 'react-router';
import { showProblem } from '../../api/show-problem.tsx';
import { answersExperiment, useCall } from '../../api/use-call.ts';
import { experimentCode, experimentPath } from '../../ui/format.ts';
import { showUndoToast } from '../../ui/undo-toast.tsx';

export type ExperimentCommands = ReturnType<typeof useExperimentCommands>;

/** Returns the actions of a row. Errors are shown as toasts. */
export function useExperimentCommands() {
  const navigate = useNavigate();
  const act = useCall('POST /experiments/{id}/actions/{action}', answersExperiment);
  const removal = useCall('DELETE /experiments/{id}', { changes: ['GET /experiments'] });
  const creation = useCall('POST /experiments', answersExperiment);
  const patch = useCall('PATCH /experiments/{id}', answersExperiment);
  const edit = (id: number) => navigate(`/experiments/${id}/edit/question`);

  const restore = (id: number) =>
    act.mutate(
      { params: { id, action: 'restore' } },
      { onError: (error) => showProblem(`${experimentCode(id)} was not restored`, error) },
    );

  return {
    open: (experiment: ExperimentSummary) => navigate(experimentPath(experiment)),
    clone: (id: number) =>
      act.mutate(
        { params: { id, action: 'clone' } },
        {
          onSuccess: (copy) => edit(copy.id),
          onError: (error) => showProblem(`${experimentCode(id)} was not cloned`, error),
        },
      ),
    remove: (id: number) =>
      removal.mutate(
        { params: { id } },
        {
          onSuccess: () =>
            showUndoToast({ message: `${experimentCode(id)} deleted`, onUndo: () => restore(id) }),
          onError: (error) => showProblem(`${experimentCode(id)} was not deleted`, error),
        },
      ),
    keepEverything: (id: number, keepEverything: boolean) =>
      patch.mutate(
        { params: { id }, body: { keepEverything } },
        { onError: (error) => showProblem(`${experimentCode(id)} was not changed`, error) },
      ),
    create: () =>
      creation.mutate(
        { body: {} },
        {
          onSuccess: ({ id }) => edit(id),
          onError: (error) => showProblem('No experiment was created', error),
        },
      ),
    isCreating: creation.isPending,
  };
}
