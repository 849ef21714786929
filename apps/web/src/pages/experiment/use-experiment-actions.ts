import { notifications } from '@mantine/notifications';
import type { ExperimentAction } from '@mqttlab/shared/messages/http';
import { useNavigate } from 'react-router';
import { useExperimentAction } from '../../api/mutations.ts';
import { showProblem } from '../../api/show-problem.tsx';
import { experimentCode } from '../experiments/describe-experiment.ts';
import type { Offer } from './experiment-offers.ts';

export interface ExperimentActions {
  act: (offer: Offer) => void;
  /** The action under way. */
  pending: ExperimentAction | null;
}

/** Carries out what the page offers; a refusal says what happened and what to do. */
export function useExperimentActions(id: number): ExperimentActions {
  const navigate = useNavigate();
  const mutation = useExperimentAction();
  return {
    act: (offer) =>
      mutation.mutate(
        { id, action: offer.action },
        {
          onSuccess: (experiment) => {
            notifications.show({ message: `${experimentCode(id)}: ${offer.done}`, withBorder: true });
            if (offer.action === 'clone') navigate(`/experiments/${experiment.id}/edit`);
          },
          onError: (error) => showProblem(`${experimentCode(id)}: ${offer.label} was not done`, error),
        },
      ),
    pending: mutation.isPending ? mutation.variables.action : null,
  };
}
