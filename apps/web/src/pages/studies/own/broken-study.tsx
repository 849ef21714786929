import { Button } from '@mantine/core';
import { IconFileExport, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { showProblem } from '../../../api/show-problem.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { studyFileUrl, useRemoveStudy } from '../study-calls.ts';

const icon = { size: 16, stroke: 2, 'aria-hidden': true } as const;

/** An own study whose file cannot be read: it can be taken away as it is, and deleted. */
export function BrokenStudy({ id, reason }: { id: string; reason: string }): ReactElement {
  const remove = useRemoveStudy();
  return (
    <Panel
      title={id}
      subtitle="Own study, damaged"
      padded
      actions={
        <>
          <Button
            variant="default"
            component="a"
            href={studyFileUrl(id, 'json')}
            download
            leftSection={<IconFileExport {...icon} />}
          >
            Export as it is
          </Button>
          <Button
            color="red"
            variant="default"
            leftSection={<IconTrash {...icon} />}
            loading={remove.isPending}
            onClick={() => remove.mutate(id, { onError: (error) => showProblem('It is still there', error) })}
          >
            Delete
          </Button>
        </>
      }
    >
      <p>What is stored of it cannot be read ({reason}). The other studies are not affected.</p>
    </Panel>
  );
}
