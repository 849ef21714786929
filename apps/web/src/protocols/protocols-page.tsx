import { Button } from '@mantine/core';
import { IconCompass, IconPlayerPlay } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTour } from '../experiments/use-tour.ts';
import { Panel } from '../ui/panel.tsx';
import { Page } from '../ui/shell/page.tsx';
import { Tag } from '../ui/tag.tsx';
import styles from './protocols-page.module.css';

/** Ready plans: the tour now; the published studies with a later version, and this page says so. */
export function ProtocolsPage(): ReactElement {
  const tour = useTour();
  return (
    <Page title="Protocols">
      <Panel
        title="Tour: what does TLS cost?"
        subtitle="18 runs, under 90 s"
        mark={<IconCompass className={styles.mark} size={16} stroke={2} aria-hidden />}
        actions={
          <Button
            leftSection={<IconPlayerPlay size={16} stroke={2} aria-hidden />}
            loading={tour.isPending}
            onClick={tour.start}
          >
            Run the tour
          </Button>
        }
        padded
      >
        <p className={styles.text}>
          How much latency and CPU do AES-256-GCM and ChaCha20-Poly1305 add to plain MQTT? Three securities ×
          QoS 0 and 1 × 3 repetitions on the built-in testbed: real agents, a real broker, real TLS, nothing
          simulated. It becomes an ordinary experiment: watch it live, compare its treatments, clone it and
          change the plan.
        </p>
        <p className={styles.tags}>
          <Tag>plain</Tag>
          <Tag>TLS 1.3 AES-256-GCM</Tag>
          <Tag>TLS 1.3 ChaCha20-Poly1305</Tag>
          <Tag>QoS 0</Tag>
          <Tag>QoS 1</Tag>
        </p>
      </Panel>
      <Panel title="Published studies" subtitle="with a later version" padded>
        <p className={styles.text}>
          A protocol is a ready plan that reproduces a published study and draws its tables and figures with
          the published values beside the measured ones. Five studies of secure MQTT are planned. They need
          factors that this version does not have yet: resumed sessions, payload ciphers, shaped links, energy
          meters and more brokers.
        </p>
        <p className={styles.text}>
          Until then a plan can be exchanged as a file: export it from any experiment, import it under
          Experiments.
        </p>
      </Panel>
    </Page>
  );
}
