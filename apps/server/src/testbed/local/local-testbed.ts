import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentIdentity } from '../agent-link.ts';
import { type DeviceRows, issueAgentToken } from '../agent-tokens.ts';
import type { DefinedDevice, TestbedDefinition } from '../testbeds.ts';
import { AgentProcess, type AgentProgram } from './agent-process.ts';

/** The built-in testbed: agents on the machine of the server, those of a bridge only once a Run needs them. */
export const localTestbed = {
  testbedId: 'local',
  name: 'This machine',
  devices: [
    { deviceId: 'local-broker', name: 'local-broker', role: 'broker' },
    { deviceId: 'local-publisher', name: 'local-publisher', role: 'publisher' },
    { deviceId: 'local-subscriber', name: 'local-subscriber', role: 'subscriber' },
    { deviceId: 'local-bridge', name: 'local-bridge', role: 'bridge', standIn: 'local-publisher' },
    {
      deviceId: 'local-cloud-broker',
      name: 'local-cloud-broker',
      role: 'cloud-broker',
      standIn: 'local-broker',
    },
  ],
} as const satisfies TestbedDefinition;

interface LocalTestbedOptions {
  devices: DeviceRows;
  /** Each agent gets a folder of its own in it. */
  folder: string;
  onLog: (level: 'info' | 'warn' | 'error', text: string) => void;
  program: AgentProgram;
}

export interface LocalTestbed {
  /** `server`: where the agents dial, for example http://127.0.0.1:8080; behind it the certificate to pin, PEM. */
  start(server: string): void;
  /** Changes the address that running agents dial next; the same form as for `start`. */
  moveTo(server: string): void;
  /** Starts those of these devices that have waited for it. */
  wake(deviceIds: readonly string[]): void;
  /** Returns when all are gone. */
  stop(): Promise<void>;
  /** Process id of an agent; null while it is not running. */
  pidOf(deviceId: string): number | null;
}

export function makeLocalTestbed(options: LocalTestbedOptions): LocalTestbed {
  const agents = new Map<string, AgentProcess>();
  const serverFile = join(options.folder, 'server');
  let isStarted = false;
  const launch = (devices: readonly DefinedDevice[]): void => {
    for (const { deviceId, name, role } of devices) {
      if (!isStarted || agents.has(deviceId)) continue;
      const agent = makeAgent(options, { deviceId, name, role }, serverFile);
      agents.set(deviceId, agent);
      agent.start();
    }
  };
  const devices: readonly DefinedDevice[] = localTestbed.devices;
  const moveTo = (address: string): void => {
    mkdirSync(options.folder, { recursive: true });
    writeFileSync(serverFile, address);
  };
  return {
    moveTo,
    start(address) {
      moveTo(address);
      isStarted = true;
      launch(devices.filter(({ standIn }) => standIn === undefined));
    },
    wake: (deviceIds) => launch(devices.filter(({ deviceId }) => deviceIds.includes(deviceId))),
    async stop() {
      isStarted = false;
      await Promise.all([...agents.values()].map((agent) => agent.stop()));
      agents.clear();
    },
    pidOf: (deviceId) => agents.get(deviceId)?.pid ?? null,
  };
}

function makeAgent(options: LocalTestbedOptions, device: AgentIdentity, serverFile: string): AgentProcess {
  const { testbedId } = localTestbed;
  const token = issueAgentToken(options.devices, { ...device, testbedId });
  return new AgentProcess({
    name: device.name,
    program: options.program,
    args: [
      '--server-file',
      serverFile,
      '--name',
      device.deviceId,
      '--data',
      join(options.folder, device.deviceId),
    ],
    environment: { MQTTLAB_AGENT_TOKEN: token },
    onLog: options.onLog,
  });
}
