import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Role } from '@mqttlab/shared/domain/devices/device';
import { liveSocketPath } from '@mqttlab/shared/messages/address';
import type { AgentFrame } from '@mqttlab/shared/messages/agent';
import { atMost, type BenchRow, figure, makeRow } from '@mqttlab/shared/testing/bench';
import { makeWorkload } from '@mqttlab/shared/testing/factories';
import { within } from '@mqttlab/shared/testing/within';
import { WebSocket } from 'ws';
import { issueAgentToken } from '../src/devices/agent-tokens.ts';
import { makeTinyDraft } from '../src/run/testing/rig.ts';
import { ScriptedAgent } from '../src/run/testing/scripted-agent.ts';
import { openDataFolder } from '../src/store/data-folder.ts';
import { makeDeviceStore } from '../src/store/settings/device-store.ts';
import { makeTestbedStore } from '../src/store/settings/testbed-store.ts';

const startMs = 60_000;
const stopMs = 15_000;
const telling = 50;
const idle = 1_000;
const windowMs = 15_000;
const tellEveryMs = 1_000;
const atOnce = 10;
/** Interval of an idle agent's reports, in ms, as in real agents. */
const healthEveryMs = 10_000;
const roles = ['broker', 'publisher', 'subscriber'] as const;

interface SimulatedDevice {
  deviceId: string;
  role: Role;
  testbedId: string;
  token: string;
}

/**
 * Measures the server's CPU use for 50 agents that report every second during runs, and for 1,000 idle
 * agents.
 */
export async function benchAgents(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-bench-agents-'));
  const devices = await makeDevices(folder);
  const server = await startServer(folder);
  try {
    const viewer = new WebSocket(new URL(liveSocketPath, server.url.replace('http', 'ws')));
    await within(startMs, 'the live connection opens', once(viewer, 'open'));
    await untilSettled(server);
    const rows = [...(await measureTelling(server, devices)), ...(await measureIdle(server, devices))];
    viewer.terminate();
    return rows;
  } finally {
    server.child.kill('SIGTERM');
    const killTimer = setTimeout(() => server.child.kill('SIGKILL'), stopMs);
    if (server.child.exitCode === null) await once(server.child, 'exit');
    clearTimeout(killTimer);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates testbeds of three devices for the active agents; idle agents have no testbed. */
async function makeDevices(folder: string): Promise<SimulatedDevice[]> {
  const data = openDataFolder(folder);
  const rows = makeDeviceStore(data.database);
  const testbeds = makeTestbedStore(data.database);
  const devices = Array.from({ length: telling + idle }, (_, i): SimulatedDevice => {
    const deviceId = `sim-${i}`;
    const role = roles[i % roles.length] ?? 'broker';
    const testbedId = i < telling ? `bed-${Math.floor(i / roles.length)}` : '';
    const token = issueAgentToken(rows, { deviceId, name: deviceId, role, testbedId: '' });
    return { deviceId, role, testbedId, token };
  });
  for (const [testbedId, own] of Map.groupBy(devices, (device) => device.testbedId)) {
    if (testbedId === '' || own.length < roles.length) continue;
    const interfaces = Object.fromEntries(own.map(({ deviceId }) => [deviceId, 'lo']));
    testbeds.saveTestbed({
      testbedId,
      name: testbedId,
      links: [{ name: 'cable', interfaces }],
      devices: own,
    });
  }
  data.close();
  return devices;
}

interface BenchServer {
  child: ChildProcess;
  url: string;
  /** WebSocket address of the process's inspector. */
  inspector: string;
}

async function startServer(folder: string): Promise<BenchServer> {
  const main = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src', 'main.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--inspect=0', main], {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', MQTTLAB_DATA: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let inspector = '';
  child.stderr.on('data', (data: Buffer) => {
    inspector ||= /ws:\/\/\S+/.exec(data.toString())?.[0] ?? '';
  });
  const ready = new Promise<string>((resolve, reject) => {
    let words = '';
    child.stdout.on('data', (data: Buffer) => {
      words += data.toString();
      const found = /ready on (http:\/\/\S+)/.exec(words)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the server exited with ${code}: ${words}`)));
  });
  const url = await within(startMs, 'the server is ready', ready);
  return { child, url, inspector };
}

async function measureTelling(server: BenchServer, devices: readonly SimulatedDevice[]): Promise<BenchRow[]> {
  const own = devices.slice(0, telling);
  const agents = await connectAll(server, own);
  const beds = [...new Set(own.map(({ testbedId }) => testbedId))].slice(
    0,
    Math.floor(telling / roles.length),
  );
  await Promise.all(beds.map((testbedId) => startExperiment(server, testbedId)));
  const startedAt = performance.now();
  const timers = agents.map((agent) =>
    setInterval(() => {
      const runId = agent.commands.findLast(({ command }) => command.kind === 'start')?.runId;
      if (runId !== undefined)
        agent.send(progressOf(agent.role, { runId, atMs: performance.now() - startedAt }));
      agent.send(healthNow());
    }, tellEveryMs),
  );
  await sleep(3_000);
  const running = agents.filter(({ commands }) => commands.some(({ command }) => command.kind === 'start'));
  const percent = await cpuPercent(server);
  for (const timer of timers) clearInterval(timer);
  for (const agent of agents) agent.disconnect();
  return [
    atMost(
      `server: CPU with ${telling} agents that report every second, ${running.length} of them in runs`,
      percent,
      { unit: '% of a core', limit: 15 },
    ),
  ];
}

async function measureIdle(server: BenchServer, devices: readonly SimulatedDevice[]): Promise<BenchRow[]> {
  await sleep(2_000);
  const before = await liveKb(server);
  const own = devices.slice(telling);
  const agents = await connectAll(server, own);
  const timers = agents.map((agent) => setInterval(() => agent.send(healthNow()), healthEveryMs));
  const percent = await cpuPercent(server);
  const after = await liveKb(server);
  const { items } = (await (await fetch(`${server.url}/api/v1/devices`)).json()) as {
    items: { online: boolean }[];
  };
  const held = items.filter(({ online }) => online).length;
  for (const timer of timers) clearInterval(timer);
  for (const agent of agents) agent.disconnect();
  return [
    makeRow({
      name: `server: connected idle agents, of ${idle}`,
      value: agents.length,
      unit: 'agents',
      atLeast: idle,
    }),
    figure('server: devices online with them', held, 'devices'),
    figure('server: live memory per idle agent', (after - before) / agents.length, 'kB'),
    figure(`server: CPU with ${idle} idle agents`, percent, '% of a core'),
  ];
}

/** Connects agents gradually, as when the devices of a laboratory are switched on. */
async function connectAll(
  server: BenchServer,
  devices: readonly SimulatedDevice[],
): Promise<ScriptedAgent[]> {
  const agents: ScriptedAgent[] = [];
  for (let i = 0; i < devices.length; i += atOnce) {
    const next = devices.slice(i, i + atOnce);
    agents.push(...(await Promise.all(next.map((device) => connect(server, device)))));
  }
  return agents;
}

/** Waits until the local agents have inspected the machine at their start; that cost is not measured. */
async function untilSettled({ url }: BenchServer): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    const { items } = (await (await fetch(`${url}/api/v1/testbeds`)).json()) as {
      items: { testbedId: string; devices: { role: string; online: boolean }[] }[];
    };
    const own = items.find(({ testbedId }) => testbedId === 'local')?.devices ?? [];
    return roles.every((role) => own.some((device) => device.role === role && device.online));
  };
  const untilThere = async (): Promise<void> => {
    while (!(await isThere())) await sleep(500);
  };
  await within(startMs, 'the agents on this machine are online', untilThere());
  await sleep(2_000);
}

async function connect(
  server: BenchServer,
  { role, token, deviceId }: SimulatedDevice,
): Promise<ScriptedAgent> {
  const agent = new ScriptedAgent(role);
  agent.bootId = deviceId;
  await agent.connect(server.url, token);
  return agent;
}

async function startExperiment({ url }: BenchServer, testbedId: string): Promise<void> {
  const draft = makeTinyDraft({
    testbedId,
    workload: makeWorkload({
      warmUpMs: 500,
      measureMs: windowMs + 10_000,
      drainTimeoutMs: 3_000,
      window: 100,
    }),
    repetitions: 1,
  });
  const text = JSON.stringify({ ...draft, factors: { ...draft.factors, link: ['cable'] } });
  const response = await fetch(`${url}/api/v1/experiments/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text, start: true }),
  });
  if (!response.ok) throw new Error(`an experiment on ${testbedId} did not start: ${await response.text()}`);
}

function progressOf(role: Role, { runId, atMs }: { runId: number; atMs: number }): AgentFrame {
  return {
    type: 'progress',
    runId,
    progress: {
      role,
      atMs,
      messages: 1234,
      messagesPerSecond: 100,
      late: 0,
      latencyMs: role === 'subscriber' ? { p5: 0.8, p50: 1.2, p95: 3.4 } : null,
      cpuPercent: 3.2,
      deviceCpuPercent: 5.1,
      residentBytes: 61e6,
      wireBytesPerSecond: 15_000,
    },
  };
}

function healthNow(): AgentFrame {
  const health = { unixMs: Date.now(), diskFreeBytes: 9e9, cpuPercent: 2, throttling: [] };
  return { type: 'health', health };
}

/** Returns the CPU use of the server process over the window, in percent, without its local agents. */
async function cpuPercent(server: BenchServer): Promise<number> {
  const before = cpuMs(server);
  const beganAt = performance.now();
  await sleep(windowMs);
  return (100 * (cpuMs(server) - before)) / (performance.now() - beganAt);
}

/** Returns the CPU time of all threads in ms, from ticks of 10 ms (proc_pid_stat(5)). */
function cpuMs({ child }: BenchServer): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/**
 * Returns the memory in use after garbage collection in kB, including buffers; resident memory is mostly
 * garbage.
 */
async function liveKb({ inspector }: BenchServer): Promise<number> {
  const socket = new WebSocket(inspector);
  await within(startMs, 'the inspector answers', once(socket, 'open'));
  let last = 0;
  const call = async (method: string, params = {}): Promise<unknown> => {
    last += 1;
    const id = last;
    socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [data] = await within(startMs, method, once(socket, 'message'));
      const answer = JSON.parse(String(data));
      if (answer.id === id) return answer.result;
    }
  };
  // The second collection frees objects that finalizers have released.
  for (let i = 0; i < 2; i += 1) await call('HeapProfiler.collectGarbage');
  const expression = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())';
  const { result } = (await call('Runtime.evaluate', { expression })) as { result: { value: number } };
  socket.terminate();
  return result.value / 1000;
}
