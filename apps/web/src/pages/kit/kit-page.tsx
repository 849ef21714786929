import { Button } from '@mantine/core';
import { IconDownload, IconPlayerPause, IconPlayerSkipForward, IconShare3 } from '@tabler/icons-react';
import { type ReactElement, useEffect } from 'react';
import { DangerButton } from '../../ui/input/danger-button.tsx';
import { IconButton } from '../../ui/input/icon-button.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { useUpdateShellStatus } from '../../ui/shell/shell-status.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import { KitCharts } from './kit-charts.tsx';
import { KitControls } from './kit-controls.tsx';
import { KitRun } from './kit-run.tsx';
import { KitTables } from './kit-tables.tsx';

const nothing = () => undefined;

/** Every piece of the kit with sample data; only in development. */
export function KitPage(): ReactElement {
  const update = useUpdateShellStatus();
  useEffect(() => {
    update({
      connection: { state: 'connected' },
      running: {
        code: 'E-121',
        href: '/experiments/E-121',
        state: 'running',
        doneTrials: 41,
        totalTrials: 72,
        leftMs: 23 * 60_000,
      },
      testbed: { name: 'Lab bench A', isInUse: true, online: 3, onStandby: 2, off: 0, href: '/devices' },
      counts: { experiments: 14, devices: 3, studies: 5 },
      user: { name: 'Local user', role: 'operator' },
    });
  }, [update]);
  return (
    <Page
      title="Batching and cipher over Wi-Fi"
      crumb="Kit"
      breadcrumbs={[{ label: 'Experiments', to: '/experiments' }]}
      mark={<TreatmentMark index={4} />}
      badge={<StatusBadge kind="running" />}
      subtitle="since 14:00, started from the wizard"
      actions={
        <>
          <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
            Export
          </Button>
          <DangerButton onClick={nothing}>Cancel</DangerButton>
          <Button leftSection={<IconShare3 size={16} aria-hidden />}>Share live</Button>
        </>
      }
      phoneActions={<IconButton icon={IconShare3} label="Share live" onClick={nothing} />}
      bottomBar={
        <>
          <Button variant="default" leftSection={<IconPlayerPause size={16} aria-hidden />}>
            Pause
          </Button>
          <Button variant="default" leftSection={<IconPlayerSkipForward size={16} aria-hidden />}>
            Stop after this run
          </Button>
          <DangerButton onClick={nothing}>Cancel</DangerButton>
        </>
      }
    >
      <KitControls />
      <KitTables />
      <KitCharts />
      <KitRun />
    </Page>
  );
}
