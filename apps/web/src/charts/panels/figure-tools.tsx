import { Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDots, IconFileTypeCsv, IconFileTypeSvg, IconPhoto, IconTable } from '@tabler/icons-react';
import { type ReactElement, use } from 'react';
import { IconButton } from '../../ui/input/buttons.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { CopyTableMenu } from './copy-table-menu.tsx';
import { FigureSourceContext } from './figure-source.ts';
import type { FigureFormat, SavedFigure } from './save-figure.ts';

type FigureToolsProps = {
  figure: Omit<SavedFigure, 'source'>;
  /** Caption of copied tables; it also distinguishes the buttons of several figures. */
  caption: string;
  showsTable: boolean;
  onToggleTable: () => void;
  /** Pictures can be saved only while the chart is on the page. */
  hasPicture?: boolean;
};

/** Table and downloads of a figure; on phones the downloads share one menu. */
export function FigureTools(props: FigureToolsProps): ReactElement {
  const { figure, caption, showsTable, onToggleTable, hasPicture = true } = props;
  const isPhone = useIsPhone();
  const source = use(FigureSourceContext);
  const save = async (format: FigureFormat) => {
    try {
      const { saveFigure } = await import('./save-figure.ts');
      await saveFigure(format, { ...figure, source });
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown reason';
      notifications.show({ message: `Not saved: ${reason}. Try another format.` });
    }
  };
  const downloads = [
    { label: 'Save as PNG', Icon: IconPhoto, disabled: !hasPicture, onClick: () => void save('png') },
    { label: 'Save as SVG', Icon: IconFileTypeSvg, disabled: !hasPicture, onClick: () => void save('svg') },
    { label: 'Save as CSV', Icon: IconFileTypeCsv, disabled: false, onClick: () => void save('csv') },
  ];
  return (
    <>
      <IconButton
        icon={IconTable}
        label={showsTable ? 'Show as a chart' : 'Show as a table'}
        of={caption}
        pressed={showsTable}
        onClick={onToggleTable}
      />
      <CopyTableMenu table={figure.table} caption={caption} />
      {isPhone ? (
        <Menu>
          <Menu.Target>
            <IconButton icon={IconDots} label="Save" of={caption} />
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
          <IconButton key={label} icon={Icon} label={label} of={caption} {...rest} />
        ))
      )}
    </>
  );
}
