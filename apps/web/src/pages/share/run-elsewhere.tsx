import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { IconExternalLink, IconFileDownload, IconPlayerPlay } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { downloadBlob, fileNameFrom } from '../../charts/panels/download.ts';
import { handOver } from '../../share/share-links.ts';
import { Dialog, DialogForm } from '../../ui/dialog.tsx';
import { TextFields } from '../../ui/input/field.tsx';

type RunElsewhereProps = { experiment: Pick<ExperimentDetail, 'name' | 'draft'> };

/** Takes the plan to the reader's own mqttlab: to its address, or as a file. */
export function RunElsewhere({ experiment }: RunElsewhereProps): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlayerPlay size={15} aria-hidden />}
        onClick={() => setIsOpen(true)}
      >
        Run this on my testbed
      </Button>
      <Dialog title="Run this on my testbed" size={480} opened={isOpen} onClose={() => setIsOpen(false)}>
        <AddressForm experiment={experiment} onDone={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

const example = 'http://192.168.1.5:8080';
const remembered = 'mqttlab-my-address';

/** The address is kept in this browser, and told to nobody. */
function AddressForm({ experiment, onDone }: RunElsewhereProps & { onDone: () => void }): ReactElement {
  const [address, setAddress] = useState(() => localStorage.getItem(remembered) ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const plan = `${JSON.stringify(experiment.draft, null, 2)}\n`;
  const open = () => {
    const found = handOver(address, plan);
    if ('what' in found) return setProblem(found.what);
    localStorage.setItem(remembered, address.trim());
    window.open(found.href, '_blank', 'noopener');
    onDone();
  };
  const save = () => {
    downloadBlob(
      new Blob([plan], { type: 'application/json' }),
      `${fileNameFrom(experiment.name)}.plan.json`,
    );
    notifications.show({ message: 'Plan saved. Import it in your mqttlab: Experiments, Import plan.' });
    onDone();
  };
  return (
    <DialogForm
      noValidate
      onSubmit={open}
      buttons={
        <>
          <Button variant="default" leftSection={<IconFileDownload size={15} aria-hidden />} onClick={save}>
            Save the plan
          </Button>
          <Button type="submit" leftSection={<IconExternalLink size={15} aria-hidden />}>
            Open there
          </Button>
        </>
      }
    >
      <TextFields
        of={[
          {
            name: 'address',
            label: 'Address of your mqttlab',
            hint: 'It shows the plan and asks before it makes a draft of it. Without one, save the plan and import it later.',
            placeholder: example,
          },
        ]}
        form={{ address }}
        first="address"
        problems={{
          address: problem === null ? undefined : { what: problem, remedy: `Write it like ${example}.` },
        }}
        onChange={(change) => {
          setAddress(change.address ?? '');
          setProblem(null);
        }}
      />
    </DialogForm>
  );
}
