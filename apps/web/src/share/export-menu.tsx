import { Button, Menu } from '@mantine/core';
import type { KeptPackets, PacketChoice } from '@mqttlab/shared/domain/runs/capture';
import { addressOf } from '@mqttlab/shared/messages/address';
import {
  IconBraces,
  IconDownload,
  IconFileTypeCsv,
  IconFileTypeHtml,
  IconFileTypeXml,
  IconPackage,
  IconTable,
} from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { useApi } from '../api/use-api.ts';
import { Dialog, DialogForm } from '../ui/dialog.tsx';
import { ActionButton, MenuActions } from '../ui/input/action-button.tsx';
import { PacketChoiceBoxes } from './packet-choice.tsx';

type ExportMenuProps = {
  id: number;
  /** Whether the report includes flagged runs. */
  flagged?: boolean;
};

/** Exports of an experiment, used on its page, in Compare and on its report. */
export function ExportMenu({ id, flagged = false }: ExportMenuProps): ReactElement {
  const [asked, setAsked] = useState(false);
  const [dialog, setDialog] = useState(false);
  const place = { params: { id } };
  const report = { ...place, query: { flagged } };
  const kept = useApi('GET /experiments/{id}/packets', asked ? place : null).data;
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
                : {
                    ...bundle,
                    href: addressOf('GET /experiments/{id}/bundle.zip', {
                      ...place,
                      query: { packets: 'none' },
                    }),
                  },
              {
                label: 'Report, one HTML file',
                icon: IconFileTypeHtml,
                href: addressOf('GET /experiments/{id}/report.html', report),
              },
              {
                label: 'Report, numbers as JSON',
                icon: IconBraces,
                href: addressOf('GET /experiments/{id}/report.json', report),
              },
            ],
            [
              {
                label: 'Runs × metrics, CSV',
                icon: IconFileTypeCsv,
                href: addressOf('GET /experiments/{id}/values.csv', place),
              },
              {
                label: 'Runs × metrics, Parquet',
                icon: IconTable,
                href: addressOf('GET /experiments/{id}/values.parquet', place),
              },
              {
                label: 'Samples, CSV',
                icon: IconFileTypeCsv,
                href: addressOf('GET /experiments/{id}/samples.csv', place),
              },
              {
                label: 'Samples, Parquet',
                icon: IconTable,
                href: addressOf('GET /experiments/{id}/samples.parquet', place),
              },
            ],
            [
              {
                label: 'One row per run, CSV',
                icon: IconFileTypeCsv,
                href: addressOf('GET /experiments/{id}/runs.csv', place),
              },
              {
                label: 'Runs with verdicts, JSON',
                icon: IconBraces,
                href: addressOf('GET /experiments/{id}/runs.json', place),
              },
              {
                label: 'Plan as YAML',
                icon: IconFileTypeXml,
                href: addressOf('GET /experiments/{id}/plan.yaml', place),
              },
            ],
          ]}
        />
      </Menu>
      {hasPackets && <BundleDialog id={id} kept={kept} opened={dialog} onClose={() => setDialog(false)} />}
    </>
  );
}

type BundleDialogProps = { id: number; kept: KeptPackets; opened: boolean; onClose: () => void };

/** Options of a bundle, for an experiment with stored packets. */
function BundleDialog({ opened, onClose, ...rest }: BundleDialogProps): ReactElement {
  return (
    <Dialog title="Research bundle" size={480} opened={opened} onClose={onClose}>
      <BundleForm {...rest} onClose={onClose} />
    </Dialog>
  );
}

function BundleForm({ id, kept, onClose }: Omit<BundleDialogProps, 'opened'>): ReactElement {
  const [packets, setPackets] = useState<PacketChoice>('none');
  const role = useApi('GET /session').data?.role;
  return (
    <DialogForm
      buttons={
        <Button
          component="a"
          href={addressOf('GET /experiments/{id}/bundle.zip', { params: { id }, query: { packets } })}
          download
          onClick={onClose}
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          Save bundle
        </Button>
      }
    >
      <PacketChoiceBoxes kept={kept} value={packets} onChange={setPackets} allowsKeys={role !== 'viewer'} />
    </DialogForm>
  );
}
