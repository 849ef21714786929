import { Button } from '@mantine/core';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { IconFileUpload } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { Panel } from '../../../ui/panel.tsx';
import styles from './meter.module.css';
import { MeterDialog } from './meter-dialog.tsx';

/** Where the file of a power meter goes that was not connected to the testbed. */
export function MeterPanel({ run }: { run: RunDetail }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel title="Power meter of your own" padded>
      <div className={styles.panel}>
        <p className={styles.words}>
          What a meter recorded meanwhile (Joulescope, Otii, a logging multimeter) can stand in place of the
          energy that a device told itself: time and power, or time, voltage and current, as CSV. Both are
          aligned by time, and the run is computed anew.
        </p>
        <Button
          variant="default"
          leftSection={<IconFileUpload size={16} stroke={2} aria-hidden />}
          onClick={() => setOpen(true)}
        >
          Upload a CSV
        </Button>
      </div>
      <MeterDialog opened={isOpen} run={run} onClose={() => setOpen(false)} />
    </Panel>
  );
}
