import { Button } from '@mantine/core';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { type ReactElement, useState } from 'react';
import { useDevices } from '../../../api/queries.ts';
import { TestbedDialog } from './testbed-dialog.tsx';

/** Other roles, other devices, other links; refused while it is in use. */
export function ChangeTestbed({ testbed }: { testbed: TestbedStatus }): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const devices = (useDevices().data ?? []).filter(({ ssh }) => ssh !== null);
  return (
    <>
      <Button variant="subtle" size="xs" onClick={() => setIsOpen(true)}>
        Change
      </Button>
      <TestbedDialog opened={isOpen} onClose={() => setIsOpen(false)} devices={devices} testbed={testbed} />
    </>
  );
}
