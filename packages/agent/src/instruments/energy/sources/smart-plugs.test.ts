import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EnergySourceDefinition } from '../energy-source.ts';
import { findEnergySource } from '../energy-sources.ts';
import { makeEnergyLab } from '../testing/energy-lab.ts';

const [shellyGen1, shellyGen2, tasmota] = ['shelly-gen1', 'shelly-gen2', 'tasmota'].map(
  (id) => findEnergySource(id)!,
) as [EnergySourceDefinition, EnergySourceDefinition, EnergySourceDefinition];

type Answer = (path: string, response: ServerResponse) => void;

async function startMeter(answer: Answer): Promise<{ server: Server; meterUrl: string }> {
  const server = createServer((request, response) => answer(request.url ?? '', response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, meterUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function makePlug(definition: EnergySourceDefinition, answer: Answer) {
  const { server, meterUrl } = await startMeter(answer);
  const source = definition.make(makeEnergyLab({ meterUrl }).environment);
  await source.start();
  return { source, server };
}

const say =
  (json: unknown): Answer =>
  (_path, response) =>
    response.end(JSON.stringify(json));

const plugs: [definition: EnergySourceDefinition, path: string, genuine: object][] = [
  [
    shellyGen1,
    '/meter/0',
    {
      power: 3.4,
      overpower: 0,
      is_valid: true,
      timestamp: 1_662_887_194,
      counters: [3.4, 3.3, 3.5],
      total: 6_472,
    },
  ],
  [
    shellyGen2,
    '/rpc/Switch.GetStatus?id=0',
    {
      id: 0,
      source: 'init',
      output: true,
      apower: 3.4,
      voltage: 230.3,
      current: 0.033,
      aenergy: { total: 18.015, by_minute: [56.6, 56.6, 56.6], minute_ts: 1_682_952_864 },
      temperature: { tC: 30.3, tF: 86.5 },
    },
  ],
  [
    tasmota,
    '/cm?cmnd=Status%208',
    {
      StatusSNS: {
        Time: '2026-01-06T20:06:19',
        ENERGY: {
          TotalStartTime: '2025-08-18T11:07:55',
          Total: 0.003,
          Power: 3.4,
          Voltage: 239,
          Current: 0.02,
        },
      },
    },
  ],
];

describe.each(plugs.map(([definition, ...rest]) => [definition.id, definition, ...rest] as const))(
  '%s',
  (...[, definition, path, genuine]) => {
    test('reads its power from a genuine answer', async () => {
      const asked: string[] = [];
      const { source } = await makePlug(definition, (url, response) => {
        asked.push(url);
        response.end(JSON.stringify(genuine));
      });
      expect((await source.probe()).available).toBe(true);
      expect(await source.sample()).toEqual({ atUs: 1_000_000, powerW: 3.4, energyJ: null, problem: null });
      expect(new Set(asked)).toEqual(new Set([path]));
    });

    test.each([
      ['no JSON', '<html>Welcome</html>'],
      ['half an answer', '{"power":3.'],
      ['another thing', '{"brightness":80}'],
      ['text for power', JSON.stringify(genuine).replaceAll('3.4', '"3.4"')],
      ['null for power', JSON.stringify(genuine).replaceAll('3.4', 'null')],
      ['a negative power', JSON.stringify(genuine).replaceAll('3.4', '-3.4')],
      ['an impossible power', JSON.stringify(genuine).replaceAll('3.4', '1e9')],
    ])('%s is reported as nonsense', async (_case, body) => {
      const { source } = await makePlug(definition, (_path, response) => response.end(body));
      expect(await source.sample()).toMatchObject({ powerW: null, problem: { code: 'nonsense' } });
      expect((await source.probe()).available).toBe(false);
    });

    test('a password, an error and a plug unplugged during the run are each reported', async () => {
      let status = 401;
      const { source, server } = await makePlug(definition, (_path, response) => {
        response.statusCode = status;
        response.end(JSON.stringify(genuine));
      });
      expect(await source.sample()).toMatchObject({ powerW: null, problem: { code: 'no-permission' } });
      status = 500;
      expect(await source.sample()).toMatchObject({ powerW: null, problem: { code: 'unreachable' } });
      status = 200;
      expect(await source.sample()).toMatchObject({ powerW: 3.4, problem: null });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      expect(await source.sample()).toMatchObject({ powerW: null, problem: { code: 'unreachable' } });
    });
  },
);

test('a Shelly that reports its own meter as invalid has no value', async () => {
  const { source } = await makePlug(shellyGen1, say({ power: 0, is_valid: false, total: 0 }));
  expect(await source.sample()).toMatchObject({ powerW: null, problem: { code: 'nonsense' } });
});

test('a Tasmota plug with several sockets adds them up', async () => {
  const { source } = await makePlug(tasmota, say({ StatusSNS: { ENERGY: { Power: [3, 4.5] } } }));
  expect((await source.sample()).powerW).toBe(7.5);
});

test('redirects of a plug are not followed', async () => {
  const { source } = await makePlug(shellyGen2, (_path, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:9/' });
    response.end();
  });
  expect(await source.sample()).toMatchObject({ powerW: null, problem: { code: 'unreachable' } });
});

test('a plug that never answers is not awaited', async () => {
  const { source } = await makePlug(shellyGen2, () => {});
  expect(await source.sample()).toMatchObject({ powerW: null, problem: { code: 'unreachable' } });
});

test.each(['http://169.254.169.254', 'http://[fe80::1]', 'http://100.100.100.200', 'http://2852039166'])(
  'a meter at %s is not contacted',
  async (meterUrl) => {
    const source = tasmota.make(makeEnergyLab({ meterUrl }).environment);
    const found = await source.probe();
    expect(found).toMatchObject({ available: false, problem: { code: 'unreachable' } });
    expect(JSON.stringify(found)).toMatch(/link-local or metadata address/);
  },
);
