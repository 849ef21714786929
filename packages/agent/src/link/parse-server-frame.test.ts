import { fc } from '@mqttlab/shared/testing/properties';
import { expect, test } from 'vitest';
import { parseServerFrame } from './server-link.ts';

test('a valid frame is returned unchanged', () => {
  const frame = { type: 'command', id: 1, runId: 2, command: { kind: 'teardown' } };
  expect(parseServerFrame(JSON.stringify(frame))).toEqual({ frame });
});

test.each(['', '{', 'null', '[]', '{"type":"reboot"}', '{"type":"command","id":1}'])(
  '%s is refused',
  (text) => {
    expect(parseServerFrame(text)).toMatchObject({ reason: expect.any(String), reply: null });
  },
);

test('an invalid command is answered', () => {
  const frame = { type: 'command', id: 7, runId: 2, command: { kind: 'shell', text: 'rm -rf /' } };
  expect(parseServerFrame(JSON.stringify(frame))).toMatchObject({
    reply: { type: 'reply', id: 7, runId: 2, outcome: { ok: false, error: { code: 'bad-command' } } },
  });
});

test('never throws, whatever the text or JSON', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseServerFrame(text)));
  fc.assert(fc.property(fc.json(), (text) => void parseServerFrame(text)));
});
