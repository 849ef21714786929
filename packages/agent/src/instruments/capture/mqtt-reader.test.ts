import { expect, test } from 'vitest';
import { probePrefix } from '../../clients/text-lines.ts';
import { makeStamp, writeStamp } from '../../payload/stamp.ts';
import { MqttReader, type SeenPublish } from './summarise-capture.ts';

function stampOf(measured: boolean): Buffer {
  const bytes = Buffer.alloc(20);
  writeStamp(new DataView(bytes.buffer, bytes.byteOffset, 20), 0, { ...makeStamp(), measured });
  return bytes;
}

test('counts messages stamped as measured, as bytes or as text, and no probes', () => {
  const payloads = [
    stampOf(true),
    stampOf(false),
    Buffer.from(`${stampOf(true).toString('base64')}mqttlab.`),
    Buffer.from(`${stampOf(false).toString('base64')}mqttlab.`),
    Buffer.from(`${probePrefix}publisher-1`),
    Buffer.from([0xa5]),
    Buffer.alloc(0),
  ];
  const seen: SeenPublish[] = [];
  const reader = new MqttReader(false, (publish) => seen.push(publish));
  const head = Buffer.from('0003612f62', 'hex');
  const stream = Buffer.concat(
    payloads.map((payload) =>
      Buffer.concat([Buffer.from([0x30, head.length + payload.length]), head, payload]),
    ),
  );
  // Split at any position.
  reader.onBytes(stream.subarray(0, 31), 1);
  reader.onBytes(stream.subarray(31), 2);
  expect(seen.map(({ isMeasured }) => isMeasured)).toEqual([true, false, true, false, false, true, false]);
  expect(new Set(seen.map(({ topic }) => topic))).toEqual(new Set(['a/b']));
  expect(seen.map(({ packetBytes }) => packetBytes)).toEqual(payloads.map(({ length }) => 7 + length));
});
