import { Button, type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import type { ReactElement } from 'react';
import { FieldRow } from '../../ui/input/field.tsx';
import { SegmentedSwitch } from '../../ui/input/segmented-switch.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useTourDismissed } from '../experiments/use-tour.ts';

/** What this browser remembers. */
export function AppearancePanel(): ReactElement {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [isTourHidden, setTourHidden] = useTourDismissed();
  return (
    <Panel flush title="This browser" subtitle="kept here, not on the server">
      <FieldRow label="Colours">
        <div>
          <SegmentedSwitch<MantineColorScheme>
            label="Colours"
            value={colorScheme}
            options={[
              { value: 'auto', label: 'As the system' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
            onChange={setColorScheme}
          />
        </div>
      </FieldRow>
      <FieldRow label="Tour banner">
        <div>
          <Button variant="default" size="xs" disabled={!isTourHidden} onClick={() => setTourHidden(false)}>
            {isTourHidden ? 'Show it again' : 'Shown above the experiments'}
          </Button>
        </div>
      </FieldRow>
    </Panel>
  );
}
