import { Button } from '@mantine/core';
import type { KeptPackets, PacketChoice } from '@mqttlab/shared/domain/runs/capture';
import { IconDownload } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { api } from '../api/client.ts';
import { useSession } from '../api/queries.ts';
import { Dialog, DialogForm } from '../ui/dialog.tsx';
import { PacketChoiceBoxes } from './packet-choice.tsx';

type BundleDialogProps = { id: number; kept: KeptPackets; opened: boolean; onClose: () => void };

/** Asks what goes along with a bundle, of an experiment that keeps packets. */
export function BundleDialog({ opened, onClose, ...rest }: BundleDialogProps): ReactElement {
  return (
    <Dialog title="Research bundle" size={480} opened={opened} onClose={onClose}>
      <BundleForm {...rest} onClose={onClose} />
    </Dialog>
  );
}

function BundleForm({ id, kept, onClose }: Omit<BundleDialogProps, 'opened'>): ReactElement {
  const [packets, setPackets] = useState<PacketChoice>('none');
  const role = useSession().data?.role;
  return (
    <DialogForm
      buttons={
        <Button
          component="a"
          href={api.bundleUrl(id, packets)}
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
