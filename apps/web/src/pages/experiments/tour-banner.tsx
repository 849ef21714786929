import { useLocalStorage } from '@mantine/hooks';
import { IconCompass, IconPlayerPlay, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { showProblem } from '../../api/show-problem.tsx';
import { answersExperiment, useCall } from '../../api/use-call.ts';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { IconButton } from '../../ui/input/buttons.tsx';
import { showUndoToast } from '../../ui/undo-toast.tsx';
import styles from './experiments.module.css';

/** Shown until the tour is started or the banner is closed; the browser stores this. */
export function TourBanner({ hasRun }: { hasRun: boolean }): ReactElement | null {
  const [dismissed, setDismissed] = useTourDismissed();
  const tour = useTour();
  // Keeps its space while the live page loads, to avoid a layout shift.
  if (!tour.isPending && (dismissed ?? hasRun)) return null;
  const dismiss = () => {
    setDismissed(true);
    showUndoToast({ message: 'The tour is now under Studies', onUndo: () => setDismissed(false) });
  };
  return (
    <section className={styles.banner} aria-labelledby="tour-banner">
      <span className={styles.icon} aria-hidden>
        <IconCompass size={18} stroke={2} />
      </span>
      <div className={styles.words}>
        <h2 id="tour-banner">New here? Run the tour experiment</h2>
        <p>
          Plain, AES-256-GCM and ChaCha20-Poly1305 × QoS 0 and 1, 3 repetitions on this machine: 18 runs in
          under 90 s, with real agents, a real broker and real TLS.
        </p>
      </div>
      <ActionButton icon={IconPlayerPlay} loading={tour.isPending} onClick={tour.start}>
        Run the tour
      </ActionButton>
      <IconButton icon={IconX} label="Close the tour banner" onClick={dismiss} />
    </section>
  );
}

/** Starts the tour and opens its live page; pending until navigation. */
export function useTour(): { start: () => void; isPending: boolean } {
  const tour = useCall('POST /tour', answersExperiment);
  const navigate = useNavigate();
  const [, setDismissed] = useTourDismissed();
  return {
    isPending: tour.isPending || tour.isSuccess,
    start: () =>
      tour.mutate(undefined, {
        onSuccess: ({ id }) => {
          setDismissed(true);
          return navigate(`/experiments/${id}`);
        },
        onError: (error) => showProblem('The tour did not start', error),
      }),
  };
}

/** Returns the stored state of the tour banner in this browser; null before a choice is made. */
export function useTourDismissed(): [boolean | null, (dismissed: boolean) => void] {
  const [dismissed, setDismissed] = useLocalStorage<boolean | null>({
    key: 'mqttlab-tour-dismissed',
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  return [dismissed, setDismissed];
}
