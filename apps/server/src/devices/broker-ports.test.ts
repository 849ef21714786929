import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Life, Rig } from '../run/testing/rig.ts';

const interfaces = { hub: 'eth0', load: 'eth0', sink: 'eth0' };
const testbed = {
  name: 'Cluster',
  devices: [],
  pools: [
    { pool: 'hub', role: 'broker' },
    { pool: 'load', role: 'publisher' },
    { pool: 'sink', role: 'subscriber' },
  ],
  links: [{ name: 'pods', interfaces }],
};
const brokerPorts = { first: 18_830, last: 18_839 };

let rig: Rig;
let life: Life;
beforeEach(async () => {
  rig = new Rig();
  life = await rig.start();
});
afterEach(() => rig.remove());

async function send(method: string, path: string, body?: unknown) {
  const response = await fetch(`${life.url}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}

test('the ports of a testbed are set, listed, changed and removed with its definition', async () => {
  const made = await send('POST', '/testbeds', { ...testbed, brokerPorts });
  expect(made).toMatchObject({ status: 201, body: { testbedId: 'cluster', brokerPorts } });
  const { body } = await send('GET', '/testbeds');
  expect(body).toMatchObject({ items: [{ testbedId: 'local' }, { testbedId: 'cluster', brokerPorts }] });
  expect(body).not.toMatchObject({ items: [{ brokerPorts: expect.anything() }, {}] });
  const single = { first: 1883, last: 1883 };
  const changed = await send('PUT', '/testbeds/cluster', { ...testbed, brokerPorts: single });
  expect(changed.body).toMatchObject({ brokerPorts: single });
  for (const absent of [{}, { brokerPorts: null }]) {
    const { status, body: shown } = await send('PUT', '/testbeds/cluster', { ...testbed, ...absent });
    expect(status).toBe(200);
    expect(shown).not.toHaveProperty('brokerPorts');
  }
});

test.each([
  ['a port that needs root', { first: 443, last: 18_839 }, 'brokerPorts.first'],
  ['a port beyond the last one', { first: 18_830, last: 65_536 }, 'brokerPorts.last'],
  ['an end before the beginning', { first: 18_839, last: 18_830 }, 'brokerPorts.last'],
  ['half a port', { first: 18_830.5, last: 18_839 }, 'brokerPorts.first'],
  ['one end only', { first: 18_830 }, 'brokerPorts.last'],
])('refuses %s, with field and remedy, and keeps the stored range', async (_what, wrong, field) => {
  await send('POST', '/testbeds', { ...testbed, brokerPorts });
  const { status, body } = await send('PUT', '/testbeds/cluster', { ...testbed, brokerPorts: wrong });
  expect(status).toBe(422);
  expect(body).toMatchObject({ issues: [{ field, remedy: expect.stringMatching(/\w/) }] });
  expect(life.testbeds.findTestbedRecord('cluster')?.brokerPorts).toEqual(brokerPorts);
});
