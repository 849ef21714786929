import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../pacing/clock.ts';
import { makeTestRecords } from '../testing/child-records.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { RunLog } from './role-run.ts';
import { RunPackets } from './run-packets.ts';

/** Captures nothing: writes a file that is no capture to the path behind -w. */
const program = `#!/bin/sh
while [ "$1" != -w ]; do shift; done
printf 'not a capture' > "$2"
echo 'listening on any' >&2
exec sleep 60
`;

test('a capture that cannot be summarised stays next to its result', async () => {
  const folder = makeTemporaryFolder();
  const path = join(folder, 'tcpdump');
  writeFileSync(path, program, { mode: 0o755 });
  const filesFolder = join(folder, 'files');
  const packets = new RunPackets({
    device: {
      capture: { program: { name: 'tcpdump', path, version: 'tcpdump 4.99' }, refusal: null },
      procRoot: '/proc',
      records: makeTestRecords(),
    },
    filesFolder,
    log: new RunLog({ clock: systemClock, onShown: () => {} }),
  });
  await packets.start(makeTestSpec({ options: { capture: 'headers' } }), 1883);
  const { files, capture, degraded } = await packets.finish();
  expect(readdirSync(filesFolder)).toEqual(['capture.pcap']);
  expect(files).toEqual([{ name: 'capture.pcap', bytes: 13 }]);
  expect(capture).toBeUndefined();
  expect(degraded).toEqual([{ collector: 'packet capture', reason: 'the file is no pcap file' }]);
});
