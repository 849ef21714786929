import { Menu } from '@mantine/core';
import type { DocumentTable } from '@mqttlab/charts/table';
import { IconDots, IconFileTypeCsv, IconFileTypeSvg, IconPhoto, IconTable } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { IconButton } from '../../ui/input/buttons.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { CopyTableMenu } from './copy-table-menu.tsx';

type ChartPanelToolsProps = {
  title: string;
  table: DocumentTable;
  showsTable: boolean;
  onToggleTable: () => void;
  onSavePng: () => void;
  onSaveSvg: () => void;
  onSaveCsv: () => void;
};

/** Table and downloads; on phones the downloads share one menu. */
export function ChartPanelTools(props: ChartPanelToolsProps): ReactElement {
  const { showsTable, onToggleTable, onSavePng, onSaveSvg, onSaveCsv } = props;
  const isPhone = useIsPhone();
  const downloads = [
    { label: 'Save as PNG', Icon: IconPhoto, disabled: showsTable, onClick: onSavePng },
    { label: 'Save as SVG', Icon: IconFileTypeSvg, disabled: showsTable, onClick: onSaveSvg },
    { label: 'Save as CSV', Icon: IconFileTypeCsv, disabled: false, onClick: onSaveCsv },
  ];
  return (
    <>
      <IconButton
        icon={IconTable}
        label={showsTable ? 'Show as a chart' : 'Show as a table'}
        pressed={showsTable}
        onClick={onToggleTable}
      />
      <CopyTableMenu table={props.table} caption={props.title} />
      {isPhone ? (
        <Menu>
          <Menu.Target>
            <IconButton icon={IconDots} label="Save" />
          </Menu.Target>
          <Menu.Dropdown>
            {downloads.map(({ label, Icon, ...rest }) => (
              <Menu.Item key={label} leftSection={<Icon size={16} aria-hidden />} {...rest}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : (
        downloads.map(({ label, Icon, ...rest }) => (
          <IconButton key={label} icon={Icon} label={label} {...rest} />
        ))
      )}
    </>
  );
}
