import { Checkbox } from '@mantine/core';
import type { KeptPackets, PacketChoice } from '@mqttlab/shared/domain/runs/capture';
import { plural } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { ReactElement } from 'react';

type PacketChoiceProps = {
  kept: KeptPackets;
  value: PacketChoice;
  onChange: (value: PacketChoice) => void;
  /** False if the user cannot read key logs. */
  allowsKeys?: boolean;
};

/** Options to include captures and their key logs; hidden if there are none. */
export function PacketChoiceBoxes(props: PacketChoiceProps): ReactElement | null {
  const { kept, value, onChange, allowsKeys = true } = props;
  const { captures, keyLogs } = kept;
  if (captures.files === 0) return null;
  return (
    <>
      <Checkbox
        checked={value !== 'none'}
        onChange={(event) => onChange(event.currentTarget.checked ? 'captures' : 'none')}
        label={`Include packet captures (${plural(captures.files, 'file')}, ${formatBytes(captures.bytes)})`}
        description="Captures contain addresses, ports, topics and unencrypted data."
      />
      {keyLogs.files > 0 && allowsKeys && (
        <Checkbox
          checked={value === 'captures and keys'}
          disabled={value === 'none'}
          onChange={(event) => onChange(event.currentTarget.checked ? 'captures and keys' : 'captures')}
          label={`Also include key logs (${plural(keyLogs.files, 'file')}, ${formatBytes(keyLogs.bytes)})`}
          description="Keep them secret: they decrypt all data of these TLS connections, including passwords."
        />
      )}
    </>
  );
}
