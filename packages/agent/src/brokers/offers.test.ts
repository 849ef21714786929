import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { aedesVersion } from './embedded.ts';
import { mqttVersionsOf, parseMosquittoVersion, transportsOf } from './mosquitto.ts';

test('the announced version of aedes is the installed one', () => {
  const main = createRequire(import.meta.url).resolve('aedes');
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(main), 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ name: 'aedes', version: aedesVersion });
});

test.each([
  ['mosquitto version 2.0.11\n\nmosquitto is an MQTT v5.0/v3.1.1/v3.1 broker.', '2.0.11'],
  ['mosquitto version 1.4.10 (build date Wed)', '1.4.10'],
  ['command not found', null],
])('the version in "%s" is %s', (text, version) => {
  expect(parseMosquittoVersion(text)).toBe(version);
});

test('MQTT 5 came with Mosquitto 1.6', () => {
  expect(mqttVersionsOf('1.5.7')).toEqual(['3.1', '3.1.1']);
  expect(mqttVersionsOf('1.6.0')).toContain('5.0');
  expect(mqttVersionsOf('2.1')).toContain('5.0');
});

test('a Mosquitto supports WebSocket if it was built with it and has Unix sockets', () => {
  expect(transportsOf('2.0.11', true)).toEqual(['tcp', 'websocket']);
  expect(transportsOf('2.0.11', false)).toEqual(['tcp']);
  expect(transportsOf('1.6.9', true)).toEqual(['tcp']);
});
