import { describe, expect, it } from 'vitest';
import { broker } from '../catalogue/factors/broker.ts';
import { group } from '../catalogue/factors/group.ts';
import { mqttVersion } from '../catalogue/factors/mqtt-version.ts';
import type { BrokerCapability, TestbedCapabilities } from '../domain/devices/capabilities.ts';
import type { ExternalBroker } from '../domain/devices/external-broker.ts';
import { makeTestbedView } from '../domain/devices/testbed-view.ts';
import { makeCapabilities, makeDraft, makeTestbed, makeWorkload } from '../testing/factories.ts';
import { optionsOf, refusalOf } from './check-plan.ts';
import { chosenLevels } from './expand-treatments.ts';
import { parsePlan } from './parse-plan.ts';

const externalBroker: ExternalBroker = {
  label: 'RabbitMQ 3.10',
  address: '192.0.2.7',
  port: 1883,
  tlsPort: 8883,
  websocketPort: null,
  mqttVersions: ['3.1.1'],
  authority: null,
  serverName: null,
  username: null,
  hasPassword: false,
  process: null,
  unit: null,
};

/** Mosquitto, an embedded broker with the hybrid group but without MQTT 5, and where asked an external one. */
function makeBrokers(change: Partial<TestbedCapabilities> = {}): TestbedCapabilities {
  const capabilities = makeCapabilities('broker');
  const mosquitto = capabilities.brokers[0]!;
  const embedded: BrokerCapability = {
    ...mosquitto,
    kind: 'embedded',
    mqttVersions: ['3.1', '3.1.1'],
    tls: { ...mosquitto.tls, groups: [...mosquitto.tls.groups, 'X25519MLKEM768'] },
  };
  const devices = makeTestbed().devices.map((device) =>
    device.role === 'broker'
      ? { ...device, capabilities: { ...capabilities, brokers: [mosquitto, embedded] } }
      : device,
  );
  return makeTestbed({ devices, ...change });
}

function plan(factors: Record<string, (string | number)[]>, testbed = makeBrokers({ externalBroker })) {
  const parsed = parsePlan(makeDraft({ factors, repetitions: 1 }), testbed);
  return parsed.ok ? parsed.plan : { treatments: [], excluded: [], issues: parsed.issues };
}

describe('several brokers', () => {
  const hybrid = { security: ['TLS 1.3'], group: ['X25519MLKEM768'] };

  it('judge each combination by its own', () => {
    const { treatments, excluded } = plan({
      ...hybrid,
      broker: ['mosquitto', 'embedded'],
      mqttVersion: ['3.1.1'],
    });
    expect(treatments.map(({ spec }) => spec.broker)).toEqual(['embedded']);
    expect(excluded.map(({ levels }) => levels.broker)).toEqual(['mosquitto']);
    expect(excluded[0]?.reasons.map(({ factor }) => factor)).toEqual(['group']);
  });

  it('offer what any of the chosen ones can do, and no more', () => {
    const view = makeTestbedView(makeBrokers());
    const refused = (kinds: string[]) =>
      optionsOf(group, { factors: { broker: kinds } }, view).find(({ value }) => value === 'X25519MLKEM768')
        ?.refusal;
    expect(refused(['mosquitto'])?.reason).toContain('does not support it');
    expect(refused(['mosquitto', 'embedded'])).toBeNull();
    expect(refused([])?.reason).toContain('does not support it');
    const value = { factor: group, value: 'X25519MLKEM768' };
    expect(refusalOf(value, { factors: { broker: ['embedded'] } }, view)).toBeNull();
    expect(refusalOf(value, { factors: {} }, view)).not.toBeNull();
  });

  it('start with what all of the chosen ones can do', () => {
    const view = makeTestbedView(makeBrokers());
    const versions = (kinds: string[]) => chosenLevels({ factors: { broker: kinds } }, mqttVersion, view);
    expect(versions([])).toEqual(['5.0']);
    expect(versions(['mosquitto', 'embedded'])).toEqual(['3.1.1']);
    expect(chosenLevels({ factors: {} }, broker, view)).toEqual(['mosquitto']);
    expect(plan({ security: ['plain'], broker: ['embedded'] }).treatments).toHaveLength(1);
  });

  it('are refused with a reason where they are not there', () => {
    const options = broker.options(makeTestbedView(makeTestbed()));
    expect(options.map(({ value, refusal }) => [value, refusal?.reason ?? null])).toEqual([
      ['mosquitto', null],
      ['embedded', expect.stringContaining('without it')],
      ['external', expect.stringContaining('no external broker')],
    ]);
  });
});

describe('an external broker', () => {
  it('shows its own certificate and bears the name it was given', () => {
    const { treatments } = plan({ security: ['plain', 'TLS 1.3'], broker: ['external', 'mosquitto'] });
    const own = treatments.filter(({ spec }) => spec.broker === 'external');
    expect(own.map(({ spec }) => [spec.security, spec.certificate, spec.chainLength])).toEqual([
      ['plain', null, null],
      ['TLS 1.3', null, null],
    ]);
    expect(own[0]?.label).toContain('RabbitMQ 3.10');
    expect(treatments).toHaveLength(4);
  });

  it.each([
    ['MQTT 5', { security: ['plain'], mqttVersion: ['5.0'] }, {}],
    ['TLS without a port for it', { security: ['TLS 1.3'] }, { tlsPort: null }],
    ['plain without a port for it', { security: ['plain'] }, { port: null }],
    ['WebSocket without a port for it', { security: ['plain'], transport: ['websocket'] }, {}],
    ['WebSocket under TLS', { security: ['TLS 1.3'], transport: ['websocket'] }, { websocketPort: 8083 }],
    ['a client certificate', { security: ['TLS 1.3'], clientCertificate: ['mutual TLS'] }, {}],
  ])('is not asked for %s', (_what, factors, change) => {
    const testbed = makeBrokers({ externalBroker: { ...externalBroker, ...change } });
    const { treatments, ...rest } = plan({ ...factors, broker: ['external'] }, testbed);
    expect(treatments).toEqual([]);
    expect('issues' in rest && rest.issues[0]?.remedy).toBeTruthy();
  });
});

const processEngines = ['mosquitto clients', 'mqtt.js', 'paho-mqtt'] as const;

describe.each(processEngines)('%s', (client) => {
  const clients = { security: ['plain'], client: [client] };

  it.each([
    ['resumed sessions', { security: ['TLS 1.3'], session: ['resumed'] }],
    ['a shared subscription', { subscribers: [2], sharedSubscription: ['shared'] }],
    ['a payload cipher', { payloadCipher: ['aes-128-gcm'] }],
    ['a stamp that finds no room', { readingBytes: [27] }],
    ['processes by the hundred', { publishers: [51] }],
  ])('are not asked for %s', (_what, factors) => {
    const both = plan({ ...clients, client: ['native', client], ...factors });
    const refused = both.excluded.filter(({ levels }) => levels.client === client);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.reasons.every(({ reason, remedy }) => reason !== '' && remedy !== '')).toBe(true);
  });

  it('carry streams and bursts, where they can reconnects too, and say so of other workloads', () => {
    const kinds = ['stream', 'burst', 'reconnect', 'handshake', 'states'] as const;
    const possible = kinds.filter((kind) => {
      const draft = makeDraft({ factors: clients, workload: makeWorkload({ kind }) });
      const parsed = parsePlan(draft, makeBrokers());
      if (!parsed.ok) expect(parsed.issues[0]?.reason).toContain(kind);
      return parsed.ok;
    });
    const reconnecting = client === 'mosquitto clients' ? [] : ['reconnect'];
    expect(possible).toEqual(['stream', 'burst', ...reconnecting]);
  });

  it('are refused where a device lacks them', () => {
    const testbed = makeBrokers();
    for (const { capabilities } of testbed.devices) if (capabilities) capabilities.clients = [];
    expect(plan(clients, testbed)).toMatchObject({
      issues: [{ field: 'factors.client', reason: expect.stringMatching(/^no .* on bench$/) }],
    });
  });
});

it.each([
  ['WebSocket', { transport: ['websocket'] }, ['mosquitto clients']],
  ['A connection for each message', { connectionUse: ['one per message'] }, ['mosquitto clients']],
  ['Full speed', { rate: ['max'] }, ['mosquitto clients']],
  [
    'a group that their OpenSSL lacks',
    { security: ['TLS 1.3'], broker: ['embedded'], group: ['X25519MLKEM768'] },
    ['mosquitto clients', 'paho-mqtt'],
  ],
])('%s is refused to the clients without it alone', (_what, factors, without) => {
  const all = plan({ security: ['plain'], client: ['native', ...processEngines], ...factors });
  expect(all.excluded.map(({ levels }) => levels.client)).toEqual(without);
});
