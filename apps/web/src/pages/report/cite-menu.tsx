import { Menu } from '@mantine/core';
import { bibtexOf, methodsParagraph } from '@mqttlab/charts/document/for-paper';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { IconBook, IconPilcrow, IconQuote } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { copyAndSay } from '../../charts/panels/copy-table-menu.tsx';
import { ActionButton, MenuActions } from '../../ui/input/action-button.tsx';

/** What a paper needs beside figures and tables. */
export function CiteMenu({ report }: { report: Report }): ReactElement {
  const actions = [
    {
      label: 'Copy the Methods paragraph',
      icon: IconPilcrow,
      onClick: () => void copyAndSay('Methods paragraph', methodsParagraph(report)),
    },
    {
      label: 'Copy the citation (BibTeX)',
      icon: IconBook,
      onClick: () => void copyAndSay('Citation', bibtexOf(report)),
    },
  ];
  return (
    <Menu>
      <Menu.Target>
        <ActionButton icon={IconQuote}>Cite</ActionButton>
      </Menu.Target>
      <MenuActions groups={[actions]} />
    </Menu>
  );
}
