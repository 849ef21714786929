import { Menu } from '@mantine/core';
import {
  IconBraces,
  IconDownload,
  IconFileTypeCsv,
  IconFileTypeHtml,
  IconFileTypeXml,
  IconPackage,
  IconTable,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { api } from '../api/client.ts';
import { ActionButton, MenuActions } from '../ui/input/action-button.tsx';
import { BundleDialog } from './bundle-dialog.tsx';

type ExportMenuProps = {
  id: number;
  /** Whether the report includes flagged runs. */
  flagged?: boolean;
};

/** Every file of an experiment; the same on its page, in Compare and on its report. */
export function ExportMenu({ id, flagged = false }: ExportMenuProps): ReactElement {
  const [asked, setAsked] = useState(false);
  const [dialog, setDialog] = useState(false);
  const kept = useQuery({
    queryKey: ['kept packets', id],
    queryFn: () => api.keptPackets(id),
    enabled: asked,
  }).data;
  const hasPackets = kept !== undefined && kept.captures.files > 0;
  const bundle = { label: 'Research bundle (RO-Crate, zip)', icon: IconPackage };
  return (
    <>
      <Menu onOpen={() => setAsked(true)}>
        <Menu.Target>
          <ActionButton icon={IconDownload}>Export</ActionButton>
        </Menu.Target>
        <MenuActions
          groups={[
            [
              hasPackets
                ? { ...bundle, onClick: () => setDialog(true) }
                : { ...bundle, href: api.bundleUrl(id, 'none') },
              {
                label: 'Report, one HTML file',
                icon: IconFileTypeHtml,
                href: api.reportUrl(id, 'html', flagged),
              },
              {
                label: 'Report, numbers as JSON',
                icon: IconBraces,
                href: api.reportUrl(id, 'json', flagged),
              },
            ],
            [
              { label: 'Runs × metrics, CSV', icon: IconFileTypeCsv, href: api.dataUrl(id, 'values.csv') },
              { label: 'Runs × metrics, Parquet', icon: IconTable, href: api.dataUrl(id, 'values.parquet') },
              { label: 'Samples, CSV', icon: IconFileTypeCsv, href: api.dataUrl(id, 'samples.csv') },
              { label: 'Samples, Parquet', icon: IconTable, href: api.dataUrl(id, 'samples.parquet') },
            ],
            [
              { label: 'One row per run, CSV', icon: IconFileTypeCsv, href: api.exportUrl(id, 'csv') },
              { label: 'Runs with verdicts, JSON', icon: IconBraces, href: api.exportUrl(id, 'json') },
              { label: 'Plan as YAML', icon: IconFileTypeXml, href: api.planUrl(id, 'yaml') },
            ],
          ]}
        />
      </Menu>
      {hasPackets && <BundleDialog id={id} kept={kept} opened={dialog} onClose={() => setDialog(false)} />}
    </>
  );
}
