import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { showProblem } from '../../../api/show-problem.tsx';
import { useRemoveTestbed } from './device-calls.ts';

/** Its devices stay, and can be put together anew. */
export function DissolveTestbed({ testbedId, name }: { testbedId: string; name: string }): ReactElement {
  const remove = useRemoveTestbed(testbedId);
  return (
    <Button
      variant="subtle"
      size="xs"
      loading={remove.isPending}
      onClick={() =>
        remove.mutate(undefined, { onError: (error) => showProblem(`${name} was not dissolved`, error) })
      }
    >
      Dissolve
    </Button>
  );
}
