import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { IconFileDownload } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { downloadBlob, fileNameFrom } from '../../charts/canvas/download.ts';

/** Saves the plan as a file that any mqttlab imports and runs. */
export function TakePlanButton({ experiment }: { experiment: ExperimentDetail }): ReactElement {
  const take = () => {
    const file = new Blob([`${JSON.stringify(experiment.draft, null, 2)}\n`], { type: 'application/json' });
    downloadBlob(file, `${fileNameFrom(experiment.name)}.plan.json`);
    notifications.show({ message: 'Plan saved. Import it in your mqttlab: Experiments, Import plan.' });
  };
  return (
    <Button variant="default" leftSection={<IconFileDownload size={15} aria-hidden />} onClick={take}>
      Run this on my testbed
    </Button>
  );
}
