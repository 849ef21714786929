import { Checkbox } from '@mantine/core';
import type { KeptPackets, PacketChoice } from '@mqttlab/shared/domain/runs/capture';
import { plural } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { ReactElement } from 'react';

type PacketChoiceProps = {
  kept: KeptPackets;
  value: PacketChoice;
  onChange: (value: PacketChoice) => void;
  /** False for who may not read key logs. */
  allowsKeys?: boolean;
};

/** Whether captures, and the keys that open them, go along; nothing where there are none. */
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
        description="They hold addresses, ports and topics, and what was sent in plain."
      />
      {keyLogs.files > 0 && allowsKeys && (
        <Checkbox
          checked={value === 'captures and keys'}
          disabled={value === 'none'}
          onChange={(event) => onChange(event.currentTarget.checked ? 'captures and keys' : 'captures')}
          label={`Include key logs too (${plural(keyLogs.files, 'file')}, ${formatBytes(keyLogs.bytes)})`}
          description="A secret: whoever has them reads everything these TLS connections carried, passwords included."
        />
      )}
    </>
  );
}
