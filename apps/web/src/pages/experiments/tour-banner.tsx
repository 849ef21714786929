import { Button } from '@mantine/core';
import { IconCompass, IconPlayerPlay, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { IconButton } from '../../ui/input/buttons.tsx';
import { showUndoToast } from '../../ui/undo-toast.tsx';
import styles from './tour-banner.module.css';
import { useTour, useTourDismissed } from './use-tour.ts';

/** Offered on the first visit; once closed, this browser remembers. */
export function TourBanner(): ReactElement | null {
  const [dismissed, setDismissed] = useTourDismissed();
  const tour = useTour();
  if (dismissed) return null;
  const dismiss = () => {
    setDismissed(true);
    showUndoToast({ message: 'The tour moved to Studies', onUndo: () => setDismissed(false) });
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
      <Button
        variant="default"
        leftSection={<IconPlayerPlay size={16} stroke={2} aria-hidden />}
        loading={tour.isPending}
        onClick={tour.start}
      >
        Run the tour
      </Button>
      <IconButton icon={IconX} label="Close the tour banner" onClick={dismiss} />
    </section>
  );
}
