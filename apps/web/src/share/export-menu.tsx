import { Menu } from '@mantine/core';
import { IconBraces, IconDownload, IconFileTypeCsv, IconFileTypeXml } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { api } from '../api/client.ts';
import { ActionButton, MenuActions } from '../ui/input/action-button.tsx';

/** An experiment as files. */
export function ExportMenu({ id }: { id: number }): ReactElement {
  return (
    <Menu>
      <Menu.Target>
        <ActionButton icon={IconDownload}>Export</ActionButton>
      </Menu.Target>
      <MenuActions
        groups={[
          [
            { label: 'Runs as CSV', icon: IconFileTypeCsv, href: api.exportUrl(id, 'csv') },
            { label: 'Runs as JSON', icon: IconBraces, href: api.exportUrl(id, 'json') },
            { label: 'Plan as YAML', icon: IconFileTypeXml, href: api.planUrl(id, 'yaml') },
          ],
        ]}
      />
    </Menu>
  );
}
