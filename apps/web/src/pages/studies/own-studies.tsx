import { ActionIcon, Button, Menu } from '@mantine/core';
import type { StudyFile } from '@mqttlab/shared/domain/plans/study-file';
import { addressOf } from '@mqttlab/shared/messages/address';
import { IconBraces, IconDots, IconFileExport, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { showProblem } from '../../api/show-problem.tsx';
import { useCall } from '../../api/use-call.ts';
import { Panel } from '../../ui/panel.tsx';
import { showUndoToast } from '../../ui/undo-toast.tsx';

const icon = { size: 16, stroke: 2, 'aria-hidden': true } as const;

/** Actions of a user's study: export it as a file, or delete it. */
export function OwnStudyMenu({ file }: { file: StudyFile }): ReactElement {
  const remove = useCall('DELETE /studies/{id}', { changes: ['GET /studies'] });
  const restore = useCall('POST /studies/import', { changes: ['GET /studies'] });
  const forget = () =>
    remove.mutate(
      { params: { id: file.id } },
      {
        onSuccess: () =>
          showUndoToast({
            message: `“${file.title}” was deleted`,
            onUndo: () =>
              restore.mutate(
                { body: { text: JSON.stringify(file) } },
                { onError: (error) => showProblem('The study was not restored', error) },
              ),
          }),
        onError: (error) => showProblem('The study was not deleted', error),
      },
    );
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${file.title}`}>
          <IconDots {...icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component="a"
          href={addressOf('GET /studies/{id}/study.yaml', { params: { id: file.id } })}
          download
          leftSection={<IconFileExport {...icon} />}
        >
          Export as YAML
        </Menu.Item>
        <Menu.Item
          component="a"
          href={addressOf('GET /studies/{id}/study.json', { params: { id: file.id } })}
          download
          leftSection={<IconBraces {...icon} />}
        >
          Export as JSON
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconTrash {...icon} />} onClick={forget}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** A user's study with an unreadable file. It can be exported unchanged, or deleted. */
export function BrokenStudy({ id, reason }: { id: string; reason: string }): ReactElement {
  const remove = useCall('DELETE /studies/{id}', { changes: ['GET /studies'] });
  return (
    <Panel
      title={id}
      subtitle="Custom study, damaged"
      padded
      actions={
        <>
          <Button
            variant="default"
            component="a"
            href={addressOf('GET /studies/{id}/study.json', { params: { id } })}
            download
            leftSection={<IconFileExport {...icon} />}
          >
            Export stored file
          </Button>
          <Button
            color="red"
            variant="default"
            leftSection={<IconTrash {...icon} />}
            loading={remove.isPending}
            onClick={() =>
              remove.mutate(
                { params: { id } },
                { onError: (error) => showProblem('The study was not deleted', error) },
              )
            }
          >
            Delete
          </Button>
        </>
      }
    >
      <p>The stored study cannot be read ({reason}). Other studies are not affected.</p>
    </Panel>
  );
}
