import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '@mqttlab/shared/messages/devices';
import { atMost, type BenchRow, figure } from '@mqttlab/shared/testing/bench';
import { makeQuickDraft, startExperiment, waitUntilDone } from '../fixtures/experiments.ts';
import { TestServer } from '../fixtures/server.ts';
import { makeDeviceApi } from '../lab/fixtures/device-api.ts';
import { labPaths } from '../lab/lab-paths.ts';
import { VirtualLab } from '../lab/virtual-lab.ts';

const names = ['pi-1', 'pi-2', 'pi-3'];
const roles = ['broker', 'publisher', 'subscriber'];
const repetitions = 10;

/** Benchmarks that need separate devices: installation over SSH, and start skew. Requires root on Linux. */
export async function measureLab(root: string): Promise<BenchRow[]> {
  const packageSizes = packageRows(root);
  if (process.getuid?.() !== 0) return packageSizes;
  const paths = labPaths('bench');
  await VirtualLab.find(paths)?.remove();
  const lab = await VirtualLab.start(paths, { devices: names.length, plain: false, onStep: () => undefined });
  const server = new TestServer();
  try {
    await server.start();
    const api = makeDeviceApi(
      () => server,
      () => lab,
    );
    const first = tookSeconds(await api.add(await api.requestFor('pi-1')));
    const again = tookSeconds(await api.add(await api.requestFor('pi-1')));
    for (const name of names.slice(1)) await api.add(await api.requestFor(name));
    return [
      atMost('install on a virtual Pi', first, { limit: 20, unit: 's' }),
      atMost('the same again', again, { limit: 5, unit: 's' }),
      ...(await measureSkew(server, (name) => api.whenOnline(name))),
      ...packageSizes,
    ];
  } finally {
    await server.remove();
    await lab.remove();
  }
}

function tookSeconds({ startedAt, finishedAt, failure }: Installation): number {
  if (failure !== null) throw new Error(`${failure.message} ${failure.remedy}`);
  return ((finishedAt ?? Number.NaN) - startedAt) / 1000;
}

/** Devices of the lab share the kernel of this machine, so one clock shows their start skew. */
async function measureSkew(
  server: TestServer,
  whenOnline: (name: string) => Promise<void>,
): Promise<BenchRow[]> {
  for (const name of names) await whenOnline(name);
  const interfaces = Object.fromEntries(names.map((name) => [name, 'ethernet']));
  await server.api('POST', '/testbeds', {
    name: 'Bench',
    devices: names.map((deviceId, index) => ({ deviceId, role: roles[index] })),
    links: [{ name: 'cable', interfaces }],
  });
  // They reconnect in their new roles.
  for (const name of names) await whenOnline(name);
  const factors = { security: ['TLS 1.3'], link: ['cable'] };
  const draft = makeQuickDraft({ testbedId: 'bench', factors, repetitions });
  const { runs } = await waitUntilDone(server, await startExperiment(server, draft));
  const skews = runs.flatMap(({ metrics }) => metrics['start.skew'] ?? []).sort((a, b) => a - b);
  return [
    figure(
      'start skew between three devices, median',
      skews[Math.floor(skews.length / 2)] ?? Number.NaN,
      'ms',
    ),
    atMost(`start skew, largest of ${skews.length} runs`, skews.at(-1) ?? Number.NaN, {
      limit: 5,
      unit: 'ms',
    }),
  ];
}

/** Files sent to a device, before packing. */
function packageRows(root: string): BenchRow[] {
  const megabytes = (path: string) => statSync(path).size / 1e6;
  const rows = [figure('agent: bundled file', megabytes(join(root, 'dist', 'agent.mjs')), 'MB')];
  const carried = readdirSync(join(root, 'node_modules')).filter((name) => name.startsWith('node-linux-'));
  return [
    ...rows,
    ...carried.map((name) =>
      figure(
        `agent: bundled Node (${name})`,
        megabytes(join(root, 'node_modules', name, 'bin', 'node')),
        'MB',
      ),
    ),
  ];
}
