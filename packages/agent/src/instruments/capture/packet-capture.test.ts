import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestSpec } from '../../testing/specs.ts';
import { makeTemporaryFolder } from '../../testing/temporary-folder.ts';
import { makeMeasuredRole } from '../testing/measured-role.ts';
import { packetCapture } from './packet-capture.ts';

/** Captures nothing: writes an invalid file to the path after -w. */
const program = `#!/bin/sh
while [ "$1" != -w ]; do shift; done
printf 'not a capture' > "$2"
echo 'listening on any' >&2
exec sleep 60
`;

const spec = makeTestSpec({ options: { capture: 'headers' } });

test('a capture that cannot be summarised stays next to its result', async () => {
  const folder = makeTemporaryFolder();
  const path = join(folder, 'tcpdump');
  writeFileSync(path, program, { mode: 0o755 });
  const filesFolder = join(folder, 'files');
  const capture = { program: { name: 'tcpdump', path, version: 'tcpdump 4.99' }, refusal: null } as const;
  const instrument = packetCapture(makeMeasuredRole(folder, { spec, device: { capture } }));
  await instrument?.listen?.(1883);
  const part = await instrument?.contribute?.([]);
  expect(readdirSync(filesFolder)).toEqual(['capture.pcap']);
  expect(part?.files).toEqual([{ name: 'capture.pcap', bytes: 13 }]);
  expect(part?.capture).toBeUndefined();
  expect(part?.degraded).toEqual([{ collector: 'packet capture', reason: 'the file is not a pcap file' }]);
});

test('nothing is captured unless the trial requests it', () => {
  expect(packetCapture(makeMeasuredRole(makeTemporaryFolder()))).toBeNull();
});
