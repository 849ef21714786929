import { Menu } from '@mantine/core';
import { IconDots, IconFileTypeCsv, IconFileTypeSvg, IconPhoto, IconTable } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { IconButton } from '../../ui/input/buttons.tsx';
import { useIsPhone } from '../../ui/theme.ts';

type ChartPanelToolsProps = {
  showsTable: boolean;
  onToggleTable: () => void;
  onSavePng: () => void;
  onSaveSvg: () => void;
  onSaveCsv: () => void;
};

/** Table, PNG and CSV; on phones the downloads share one menu. */
export function ChartPanelTools(props: ChartPanelToolsProps): ReactElement {
  const { showsTable, onToggleTable, onSavePng, onSaveSvg, onSaveCsv } = props;
  const isPhone = useIsPhone();
  return (
    <>
      <IconButton
        icon={IconTable}
        label={showsTable ? 'Show as a chart' : 'Show as a table'}
        pressed={showsTable}
        onClick={onToggleTable}
      />
      {isPhone ? (
        <Menu>
          <Menu.Target>
            <IconButton icon={IconDots} label="Save" />
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<IconPhoto size={16} aria-hidden />}
              disabled={showsTable}
              onClick={onSavePng}
            >
              Save as PNG
            </Menu.Item>
            <Menu.Item
              leftSection={<IconFileTypeSvg size={16} aria-hidden />}
              disabled={showsTable}
              onClick={onSaveSvg}
            >
              Save as SVG
            </Menu.Item>
            <Menu.Item leftSection={<IconFileTypeCsv size={16} aria-hidden />} onClick={onSaveCsv}>
              Save as CSV
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      ) : (
        <>
          <IconButton icon={IconPhoto} label="Save as PNG" onClick={onSavePng} disabled={showsTable} />
          <IconButton icon={IconFileTypeSvg} label="Save as SVG" onClick={onSaveSvg} disabled={showsTable} />
          <IconButton icon={IconFileTypeCsv} label="Save as CSV" onClick={onSaveCsv} />
        </>
      )}
    </>
  );
}
