import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseServerFrame } from './server-link.ts';

test('a frame of the contract comes back as it is', () => {
  const frame = { type: 'command', id: 1, runId: 2, command: { kind: 'teardown' } };
  expect(parseServerFrame(JSON.stringify(frame))).toEqual({ frame });
});

test.each(['', '{', 'null', '[]', '{"type":"reboot"}', '{"type":"command","id":1}'])(
  '%s is refused',
  (text) => {
    expect(parseServerFrame(text)).toMatchObject({ reason: expect.any(String), reply: null });
  },
);

test('a command that cannot be understood is answered', () => {
  const frame = { type: 'command', id: 7, runId: 2, command: { kind: 'shell', text: 'rm -rf /' } };
  expect(parseServerFrame(JSON.stringify(frame))).toMatchObject({
    reply: { type: 'reply', id: 7, runId: 2, outcome: { ok: false, error: { code: 'bad-command' } } },
  });
});

test('no text and no JSON makes it throw', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseServerFrame(text)));
  fc.assert(fc.property(fc.json(), (text) => void parseServerFrame(text)));
});
