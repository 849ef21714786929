import { MantineProvider } from '@mantine/core';
import type { NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import type { KnownDevice } from '@mqttlab/shared/messages/devices';
import { makeCapabilities } from '@mqttlab/shared/testing/factories';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { expect, it, vi } from 'vitest';
import { mountEachTest } from '../../../testing/mount.ts';
import {
  linksOf,
  newTestbed,
  placeTestbed,
  readTestbed,
  TestbedDialog,
  type TestbedForm,
} from './testbed-dialog.tsx';

// @vitest-environment jsdom

type Given = Pick<NetworkInterface, 'name' | 'kind'> & { up?: boolean };

function makeDevice(id: string, interfaces: Given[]): KnownDevice {
  const full = interfaces.map((given, index) => ({ address: `192.0.2.${index + 1}`, up: true, ...given }));
  const capabilities = { ...makeCapabilities('publisher'), interfaces: full };
  return {
    id,
    name: id,
    role: 'publisher',
    testbedId: '',
    online: true,
    state: 'online',
    reasons: [],
    lastSeenAt: 1,
    health: null,
    capabilities,
    ssh: null,
    setAside: [],
  };
}

it('joins interfaces by name, or by kind if names differ', () => {
  const devices = [
    makeDevice('a', [
      { name: 'eth0', kind: 'ethernet' },
      { name: 'wlan0', kind: 'wifi' },
    ]),
    makeDevice('b', [
      { name: 'end0', kind: 'ethernet' },
      { name: 'wlan0', kind: 'wifi' },
    ]),
  ];
  expect(linksOf(devices)).toEqual([
    { name: 'ethernet', interfaces: { a: 'eth0', b: 'end0' } },
    { name: 'wlan0', interfaces: { a: 'wlan0', b: 'wlan0' } },
  ]);
});

it('omits loopback, inactive interfaces and interfaces that another device lacks', () => {
  const devices = [
    makeDevice('a', [
      { name: 'lo', kind: 'loopback' },
      { name: 'eth0', kind: 'ethernet' },
      { name: 'wlan0', kind: 'wifi' },
    ]),
    makeDevice('b', [
      { name: 'lo', kind: 'loopback' },
      { name: 'eth0', kind: 'ethernet', up: false },
    ]),
  ];
  expect(linksOf(devices)).toEqual([]);
});

it('does not guess between two interfaces of a kind', () => {
  const devices = [
    makeDevice('a', [{ name: 'eth0', kind: 'ethernet' }]),
    makeDevice('b', [
      { name: 'end0', kind: 'ethernet' },
      { name: 'end1', kind: 'ethernet' },
    ]),
  ];
  expect(linksOf(devices)).toEqual([]);
});

const wired = [{ name: 'eth0', kind: 'ethernet' }] as const;
const bench = ['a', 'b', 'c'].map((id) => makeDevice(id, [...wired]));

function formWith(part: Partial<TestbedForm>): TestbedForm {
  return { ...newTestbed(bench), ...part };
}

function problemsOf(part: Partial<TestbedForm>) {
  const read = readTestbed(formWith(part), bench);
  if (read.ok) throw new Error('it was accepted');
  return read.problems;
}

it('suggests roles and links for a new testbed', () => {
  expect(readTestbed(newTestbed(bench), bench)).toEqual({
    ok: true,
    body: {
      name: 'My testbed',
      devices: [
        { deviceId: 'a', role: 'broker' },
        { deviceId: 'b', role: 'publisher' },
        { deviceId: 'c', role: 'subscriber' },
      ],
      pools: [],
      links: [{ name: 'eth0', interfaces: { a: 'eth0', b: 'eth0', c: 'eth0' } }],
      brokerPorts: null,
    },
  });
});

it.each([
  [
    { first: '40000', last: '40010' },
    { first: 40_000, last: 40_010 },
  ],
  [
    { first: '1883', last: ' ' },
    { first: 1883, last: 1883 },
  ],
  [{ first: '', last: '' }, null],
])('reads the ports of brokers %o', (brokerPorts, ports) => {
  expect(readTestbed(formWith({ brokerPorts }), bench)).toMatchObject({ body: { brokerPorts: ports } });
});

it.each([
  ['80', '90', ['first', 'last']],
  ['80', '', ['first']],
  ['40000', '39999', ['last']],
  ['', '40000', ['first']],
  ['4e4.5', '40000', ['first']],
  ['40000', '70000', ['last']],
])('refuses the ports %s to %s at their field, with a remedy', (first, last, fields) => {
  const problems = problemsOf({ brokerPorts: { first, last } });
  expect(Object.keys(problems)).toEqual(fields.map((field) => `brokerPorts.${field}`));
  for (const { what, remedy } of Object.values(problems)) {
    expect(what).toMatch(/^This /);
    expect(remedy).toContain('leave both fields empty');
  }
});

it('shows an invalid name, link, or role at its field', () => {
  const { devices } = newTestbed(bench);
  expect(Object.keys(problemsOf({ name: '' }))).toEqual(['name']);
  const links = [{ key: 'x', name: 'not a name', interfaces: {} }];
  expect(Object.keys(problemsOf({ links }))).toEqual(['links.0.name']);
  expect(Object.keys(problemsOf({ devices: { ...devices, publisher: [] } }))).toEqual(['devices.publisher']);
  expect(Object.keys(problemsOf({ devices: { ...devices, bridge: ['a'] } }))).toEqual(['devices.bridge']);
});

it('needs no device in a role that a pool has', () => {
  const { devices } = newTestbed(bench);
  const pools = [{ pool: 'loaders', role: 'publisher' as const }];
  expect(readTestbed(formWith({ devices: { ...devices, publisher: [] }, pools }), bench).ok).toBe(true);
});

it.each([
  ['devices[1].deviceId', 'devices.publisher'],
  ['links[0].interfaces.b', 'links.0.interfaces.b'],
  ['links[0].interfaces.loaders', 'pools'],
  ['pools[0].pool', 'pools'],
])('shows the issue %s of the server at %s', (path, field) => {
  const issue = { field: path, reason: 'it belongs to Bench 2', remedy: 'Choose another one.' };
  const placed = placeTestbed(issue, newTestbed(bench));
  expect(placed).toMatchObject({ field, problem: { remedy: 'Choose another one.' } });
});

const mounted = mountEachTest();

it('shows the problems of the form and of the server at their fields until they are edited', async () => {
  const issues = [
    { field: 'devices[0].deviceId', reason: 'it belongs to Bench 2', remedy: 'Remove it there first.' },
    { field: 'links[0].interfaces.b', reason: 'no interface was chosen', remedy: 'Choose eth0.' },
  ];
  const requests: string[] = [];
  vi.stubGlobal('fetch', async (_address: unknown, init: { body: string }) => {
    requests.push(init.body);
    const problem = { type: 'about:blank', title: 'Invalid', status: 422, detail: 'x', remedy: 'y', issues };
    return Response.json(problem, { status: 422 });
  });
  await act(async () =>
    mounted.root.render(
      <QueryClientProvider client={new QueryClient()}>
        <MantineProvider env="test">
          <TestbedDialog opened onClose={() => {}} devices={bench} />
        </MantineProvider>
      </QueryClientProvider>,
    ),
  );
  const submit = () => act(async () => document.querySelector<HTMLElement>('button[type="submit"]')?.click());
  await edit('First port', '80');
  await submit();
  expect(problemBelow('First port')).toContain('This');
  expect(requests).toEqual([]);
  await edit('First port', '');
  expect(problemBelow('First port')).toBe('');
  await submit();
  await expect.poll(() => problemBelow('Broker')).toContain('it belongs to Bench 2');
  expect(problemBelow('Interface of b')).toBe('No interface was chosen. Choose eth0.');
  expect(JSON.parse(requests[0] ?? '')).toMatchObject({ name: 'My testbed', brokerPorts: null });
  await edit('Name of link 1', 'lan');
  expect(problemBelow('Interface of b')).toContain('No interface');
});

const inputOf = (name: string) => {
  const label = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === name);
  return document.getElementById(label?.htmlFor ?? '') as HTMLInputElement | null;
};

function problemBelow(name: string): string {
  const id = inputOf(name)?.getAttribute('aria-describedby') ?? '';
  return document.getElementById(id)?.textContent ?? '';
}

async function edit(name: string, text: string): Promise<void> {
  const input = inputOf(name);
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
  await act(async () => {
    setValue?.call(input, text);
    input?.dispatchEvent(new Event('input', { bubbles: true }));
  });
}
