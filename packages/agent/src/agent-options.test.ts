import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAgentOptions } from './agent.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

const complete = { MQTTLAB_SERVER: 'http://192.0.2.1:4321', MQTTLAB_AGENT_TOKEN: 'secret' };

test('every option can be set in the environment', () => {
  const options = parseAgentOptions([], {
    ...complete,
    MQTTLAB_BROKERS: 'embedded',
    MQTTLAB_AGENT_DATA: '/d',
  });
  expect(options).toMatchObject({
    token: 'secret',
    dataFolder: '/d',
    brokers: ['embedded'],
    name: hostname(),
  });
  expect(options.server.url.host).toBe('192.0.2.1:4321');
});

test('by default sensors are those of the kernel, and there is no meter', () => {
  const usual = { procRoot: '/proc', sysRoot: '/sys', meterUrl: null, supplyVolts: null };
  expect(parseAgentOptions([], complete)).toMatchObject(usual);
  const args = ['--sys-root', '/host/sys', '--meter', 'http://192.0.2.7', '--supply-volts', '5.1'];
  const given = {
    sysRoot: '/host/sys',
    procRoot: '/host/proc',
    meterUrl: 'http://192.0.2.7/',
    supplyVolts: 5.1,
  };
  expect(parseAgentOptions(args, { ...complete, MQTTLAB_PROC_ROOT: '/host/proc' })).toMatchObject(given);
});

test('the command line comes first, and the token from its file without the line end', () => {
  const path = join(makeTemporaryFolder(), 'token');
  writeFileSync(path, 'from-file\n');
  const args = ['--server', 'wss://lab.example', '--token-file', path, '--name', 'pi', '--data', '/x'];
  const options = parseAgentOptions(args, complete);
  expect(options).toMatchObject({ token: 'from-file', name: 'pi', dataFolder: '/x' });
  expect(options.server.url.protocol).toBe('wss:');
  expect(options.brokers).toEqual(['mosquitto', 'embedded']);
});

test.each([
  ['no server', [], { MQTTLAB_AGENT_TOKEN: 'x' }, /--server/],
  ['an invalid address', ['--server', 'localhost:80'], complete, /not the address/],
  ['no token', [], { MQTTLAB_SERVER: 'http://a' }, /--token-file/],
  ['an unknown broker', ['--brokers', 'emqx'], complete, /"emqx" is not a broker/],
  ['a meter without an address', ['--meter', 'shelly'], complete, /"shelly" is not the address of a meter/],
  [
    'a meter with its password',
    ['--meter', 'http://admin:hush@192.0.2.7'],
    complete,
    /remove the user name and password$/,
  ],
  ['an invalid voltage', ['--supply-volts=-5'], complete, /"-5" is not a supply voltage/],
  ['an unknown option', ['--colour', 'red'], complete, /colour/],
])('%s is refused with a helpful message', (...[, args, environment, message]) => {
  expect(() => parseAgentOptions(args, environment)).toThrow(message);
});
