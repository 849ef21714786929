import { Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { toLatex, toMarkdown } from '@mqttlab/charts/document/for-paper';
import type { DocumentTable } from '@mqttlab/charts/table';
import { IconCopy, IconMarkdown, IconTex } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { copyText } from '../../share/share-links.ts';
import { MenuActions } from '../../ui/input/action-button.tsx';
import { IconButton } from '../../ui/input/buttons.tsx';

/** Copies a text to the clipboard and shows a confirmation. */
export async function copyAndSay(what: string, text: string): Promise<void> {
  const copied = await copyText(text);
  notifications.show({ message: copied ? `${what} copied` : 'This browser does not allow copying.' });
}

type CopyTableMenuProps = {
  table: DocumentTable;
  caption: string;
  /** Name that distinguishes the buttons of several tables; by default the caption. */
  name?: string;
};

/** Copies a table for a paper or a README. */
export function CopyTableMenu({ table, caption, name = caption }: CopyTableMenuProps): ReactElement {
  const actions = [
    {
      label: 'Copy as LaTeX (booktabs)',
      icon: IconTex,
      onClick: () => void copyAndSay('LaTeX table', toLatex(table, caption)),
    },
    {
      label: 'Copy as Markdown',
      icon: IconMarkdown,
      onClick: () => void copyAndSay('Markdown table', toMarkdown(table)),
    },
  ];
  return (
    <Menu>
      <Menu.Target>
        <IconButton icon={IconCopy} label="Copy the table" of={name} />
      </Menu.Target>
      <MenuActions groups={[actions]} />
    </Menu>
  );
}
