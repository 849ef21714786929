import { Button, CopyButton, Textarea } from '@mantine/core';
import { writeDevicePrograms } from '@mqttlab/shared/catalogue/external-device/programs';
import { deviceTopics } from '@mqttlab/shared/catalogue/external-device/protocol';
import type { ExternalDeviceAccess } from '@mqttlab/shared/domain/devices/external-device';
import { isLoopbackAddress } from '@mqttlab/shared/domain/devices/network-address';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { Loaded } from '../../../api/loaded.tsx';
import { useApi } from '../../../api/use-api.ts';
import { downloadBlob } from '../../../charts/panels/download.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import { BlockSkeleton } from '../../../ui/skeletons.tsx';
import styles from './external.module.css';

type ProgramDialogProps = { testbedId: string; opened: boolean; onClose: () => void };

/** Everything that the program of an external device needs, and programs that have it filled in. */
export function ProgramDialog({ testbedId, opened, onClose }: ProgramDialogProps): ReactElement {
  const access = useApi(
    'GET /testbeds/{id}/external-device',
    opened ? { params: { id: testbedId } } : null,
    // Another name has another password.
    { gcTime: 0 },
  );
  return (
    <Dialog title="Program of the external device" size={820} opened={opened} onClose={onClose}>
      <Loaded query={access} skeleton={<BlockSkeleton heightPx={360} />}>
        {(found) => <ProgramText access={found} />}
      </Loaded>
    </Dialog>
  );
}

function ProgramText({ access }: { access: ExternalDeviceAccess }): ReactElement {
  const { device, password, authority, addresses } = access;
  // What other machines can reach comes first.
  const reachable = addresses.toSorted(
    (a, b) => Number(isLoopbackAddress(a.address)) - Number(isLoopbackAddress(b.address)),
  );
  const [address, setAddress] = useState(reachable[0]?.address ?? '');
  const programs = writeDevicePrograms(access, address);
  const [fileName, setFileName] = useState(programs[0]?.fileName ?? '');
  const program = programs.find((one) => one.fileName === fileName) ?? programs[0];
  const save = (text: string, name: string): void =>
    downloadBlob(new Blob([text], { type: 'text/plain;charset=utf-8' }), name);
  return (
    <div className={styles.program}>
      <Facts
        facts={[
          { label: 'Broker', value: `${address}, port ${device.port} plain, ${device.tlsPort} TLS` },
          { label: 'Login', value: `${device.name}, password ${password}` },
          { label: 'Topics', value: topicsInWords(device) },
          ...(device.role === 'publisher'
            ? [{ label: 'Stamp', value: '20 bytes at the start of each payload' }]
            : []),
        ]}
      />
      <div className={styles.choices}>
        {reachable.length > 1 && (
          <SegmentedSwitch
            label="Address of the broker"
            value={address}
            options={reachable.map((one) => ({ value: one.address, label: `${one.link} ${one.address}` }))}
            onChange={setAddress}
          />
        )}
        {programs.length > 1 && (
          <SegmentedSwitch
            label="Language"
            value={fileName}
            options={programs.map((one) => ({ value: one.fileName, label: one.label }))}
            onChange={setFileName}
          />
        )}
      </div>
      {program && (
        <>
          <Textarea
            aria-label={`Program in ${program.label}`}
            value={program.text}
            readOnly
            rows={16}
            spellCheck={false}
            classNames={{ input: styles.text ?? '' }}
          />
          <div className={styles.choices}>
            <CopyButton value={program.text}>
              {({ copied, copy }) => (
                <Button leftSection={<IconCopy size={16} aria-hidden />} onClick={copy}>
                  {copied ? 'Copied' : 'Copy program'}
                </Button>
              )}
            </CopyButton>
            <Button
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden />}
              onClick={() => save(program.text, program.fileName)}
            >
              Save {program.fileName}
            </Button>
            <Button variant="default" onClick={() => save(authority, 'mqttlab-authority.pem')}>
              Save the authority
            </Button>
          </div>
          <p className={styles.hint}>{program.tried}</p>
        </>
      )}
    </div>
  );
}

function topicsInWords({ name, role }: ExternalDeviceAccess['device']): string {
  const { ask, tell, echo } = deviceTopics(name);
  return `asked on ${ask}, answers on ${tell}${role === 'subscriber' ? `, sends back on ${echo}` : ''}`;
}
