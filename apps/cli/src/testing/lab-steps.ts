/** Command lines about devices, access, storage and the data folder. */
import { existsSync, mkdirSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import type { Bench, Subject } from './bench.ts';
import {
  issueAgentToken,
  makeHostKey,
  makeKeyPair,
  type Receiver,
  startReceiver,
  startSshServer,
} from './server.ts';

const oldKey = Buffer.from('AAAAC3NzaC1lZDI1NTE5AAAAIHo', 'base64');

/** Adds the device "pi", whose address belongs to an SSH server with a key other than the pinned one. */
async function addDevice({ rig, words, write }: Bench): Promise<void> {
  const { public: publicLine, private: privateKey } = makeKeyPair();
  const { host, port } = await startSshServer({
    users: { pi: 'raspberry' },
    keys: [publicLine],
    hostKey: makeHostKey(),
    onCommand(_command, channel) {
      channel.exit(1);
      channel.end();
    },
  });
  issueAgentToken(rig.devices, { deviceId: 'pi', name: 'pi', role: 'publisher', testbedId: '' });
  rig.sshDevices.addSshDevice({ deviceId: 'pi', host, port, user: 'pi', hostKey: oldKey });
  const { body } = await rig.api('/devices/host-key', { method: 'POST', body: { host, port } });
  const { fingerprint } = body as { fingerprint: string };
  Object.assign(words, { port: String(port), fingerprint });
  write('id_ed25519', privateKey);
  const listed = { name: 'pi-2', address: host, port, user: 'pi', password: 'wrong', fingerprint };
  write('inventory.json', JSON.stringify({ devices: [listed] }));
}

function makeWebhookSubject(): Subject {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  let receiver: Receiver | undefined;
  return {
    subject: 'webhook add uses the secret that it is given',
    async prepare({ words }) {
      const started = await startReceiver();
      onTestFinished(started.stop);
      receiver = started;
      Object.assign(words, { hook: started.url, secret });
    },
    steps: [
      {
        line: 'webhook add {hook} --events run.failed --secret {secret}',
        noted: 'Webhook 1 notifies http://127.0.0.1',
      },
      {
        line: 'webhook test 1',
        said: 'The message was accepted (204).',
        effect: () => expect(receiver?.all.at(-1)?.isGenuine(secret)).toBe(true),
      },
      { line: 'webhook add {hook} --secret short', code: 1, noted: 'secret' },
    ],
  };
}

export const labSubjects: readonly Subject[] = [
  {
    subject: 'device changes settings, pins a new host key, and forgets a device',
    prepare: addDevice,
    steps: [
      { line: 'device list', said: /^pi +offline, never in contact +- +- +pi@127\.0\.0\.1:\d+ +SHA256:/m },
      {
        line: 'device energy pi --source none --meter http://127.0.0.1:9 --volts 5.1 --battery 3000',
        said: 'Source:  best available\nMeter:   http://127.0.0.1:9\nSupply:  5.1 V\nBattery: 3000 mAh',
      },
      { line: 'device energy pi --volts none --battery none', said: 'Supply:  not set\nBattery: none' },
      { line: 'device energy pi --volts high', code: 1, noted: 'supplyVolts' },
      {
        line: 'device drain pi',
        noted: 'pi gets no new runs.',
        effect: ({ rig }) => expect(rig.sshDevices.findSshDevice('pi')?.draining).toBe(true),
      },
      {
        line: 'device resume pi',
        noted: 'pi gets runs again.',
        effect: ({ rig }) => expect(rig.sshDevices.findSshDevice('pi')?.draining).toBe(false),
      },
      {
        line: 'device trust pi --fingerprint SHA256:other',
        code: 1,
        noted: 'nothing was sent to the device',
      },
      {
        line: 'device trust pi --fingerprint {fingerprint}',
        noted: 'pi is trusted with its new key.',
        effect: ({ rig }) => expect(rig.sshDevices.findSshDevice('pi')?.hostKey).not.toEqual(oldKey),
      },
      {
        line: 'device remove pi --forget',
        noted: 'pi is removed from the list',
        effect: ({ rig }) => expect(rig.devices.findDevice('pi')).toBeNull(),
      },
    ],
  },
  {
    subject: 'device add and import log in as the options say, and report the step that fails',
    prepare: async (bench) => {
      await addDevice(bench);
      bench.rig.devices.removeDevice('pi');
    },
    steps: [
      {
        line: 'device add pi@127.0.0.1:{port} pi-1 --fingerprint SHA256:other --key @id_ed25519',
        code: 1,
        noted: 'nothing was sent to the device',
        effect: ({ rig }) => expect(rig.devices.findDevice('pi-1')).toBeNull(),
      },
      {
        line: 'device add pi@127.0.0.1:{port} pi-1 --fingerprint {fingerprint} --key @id_ed25519',
        code: 1,
        noted: 'FAIL Log in: sh exited with 1 on the device',
      },
      { line: 'device remove pi-1 --forget', noted: 'pi-1 is removed from the list' },
      { line: 'device import @inventory.json', code: 1, noted: /^pi-2 +FAIL /m },
    ],
  },
  {
    subject: 'enrol creates, lists and revokes tokens of a pool',
    steps: [
      {
        line: 'enrol create load --uses 3 --hours 48',
        said: /^\S{20,}$/,
        noted: 'For 3 agents in pool load, until',
        effect({ rig }) {
          const [token] = rig.enrolments.listEnrolments();
          expect([token?.usesLeft, (token?.expiresAt ?? 0) > Date.now() + 47 * 3_600_000]).toEqual([3, true]);
        },
      },
      { line: 'enrol create load --uses many', code: 2, noted: 'uses' },
      { line: 'enrol list', said: /^1 +load +3 +\d{4}-/m },
      {
        line: 'enrol remove 1',
        noted: 'Token 1 was revoked.',
        effect: ({ rig }) => expect(rig.enrolments.listEnrolments()).toEqual([]),
      },
      { line: 'enrol create load', noted: 'For 1 agent in pool load, until' },
    ],
  },
  makeWebhookSubject(),
  {
    subject: 'storage shows, limits and keeps data',
    steps: [
      { line: 'storage', said: /of these, E-1 TLS or not +\d/, noted: 'Series and logs are kept' },
      {
        line: 'storage set --days 90 --budget 20',
        noted: 'Series and logs are kept for 90 days.',
        effect: ({ rig }) =>
          expect(rig.storage.readStorageSettings()).toEqual({ retentionDays: 90, budgetBytes: 20e9 }),
      },
      { line: 'storage set --days off', noted: 'Series and logs are kept forever.' },
      { line: 'storage set --budget 0', code: 2, noted: '--budget: write a number above 0, or off' },
      { line: 'storage keep E-1', noted: 'Experiment 1: everything is kept.' },
      { line: 'storage', said: 'E-1 TLS or not (keeps everything)' },
      { line: 'storage release E-1', noted: 'Experiment 1: the usual time limit applies.' },
      { line: 'storage --json', said: '"keepEverything":false' },
    ],
  },
  {
    subject: 'support writes a file without secrets',
    steps: [
      {
        line: 'support --output @support.json',
        noted: 'support.json: read it before you share it.',
        effect: ({ read }) => expect(JSON.parse(read('support.json'))).toHaveProperty('settings'),
      },
    ],
  },
  {
    subject: 'backup and restore include the private keys only with the option and its passphrase',
    prepare({ at, write }) {
      write('passphrase.txt', 'correct horse battery\n');
      mkdirSync(at('data/ssh'), { recursive: true });
      write('data/ssh/id_ed25519', 'private');
    },
    steps: [
      { line: 'token create ci --role operator --scope experiments --days 9', said: /^mql_/ },
      {
        line: 'backup @keys.backup --with-keys --passphrase-file @passphrase.txt',
        noted: 'Private keys are included, encrypted.',
      },
      { line: 'backup @plain.backup', noted: 'Private keys are not included.' },
      {
        line: 'restore @keys.backup --with-keys --passphrase-file @passphrase.txt',
        env: { MQTTLAB_DATA: '@restored' },
        noted: 'was restored to',
        effect: ({ read }) => expect(read('restored/ssh/id_ed25519')).toBe('private'),
      },
      {
        line: 'restore @keys.backup',
        env: { MQTTLAB_DATA: '@without' },
        noted: '"--with-keys" restores them',
        effect({ at }) {
          const paths = ['without/mqttlab.db', 'without/ssh/id_ed25519'];
          expect(paths.map((path) => existsSync(at(path)))).toEqual([true, false]);
        },
      },
      {
        line: 'restore @plain.backup --with-keys --passphrase-file @nothing.txt',
        env: { MQTTLAB_DATA: '@unread' },
        code: 1,
        noted: 'The passphrase cannot be read',
      },
    ],
  },
];
