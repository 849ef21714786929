import { useLocalStorage } from '@mantine/hooks';
import { useNavigate } from 'react-router';
import { useStartTour } from '../../api/mutations.ts';
import { showProblem } from '../../api/show-problem.tsx';

/** Starts the tour and leads to its live page. */
export function useTour(): { start: () => void; isPending: boolean } {
  const tour = useStartTour();
  const navigate = useNavigate();
  return {
    isPending: tour.isPending,
    start: () =>
      tour.mutate(undefined, {
        onSuccess: ({ id }) => navigate(`/experiments/${id}`),
        onError: (error) => showProblem('The tour did not start', error),
      }),
  };
}

/** Whether this browser has closed the tour banner. */
export function useTourDismissed(): [boolean, (dismissed: boolean) => void] {
  const [dismissed, setDismissed] = useLocalStorage({
    key: 'mqttlab-tour-dismissed',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  return [dismissed, setDismissed];
}
