import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reconnects } from '@mqttlab/shared/catalogue/workloads';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import { makeContextOptions } from '../../tls/connect-options.ts';
import type { ClientProgramOptions } from '../client-program.ts';

/** Settings of the scripts for mqtt.js and paho-mqtt. They are in a file because they include the password. */
export interface ScriptSettings {
  topic: string;
  qos: 0 | 1 | 2;
  /** Maximum unacknowledged messages. */
  window: number;
  /** True if a publisher prints "+" for each message that is settled, so that no more than the window is written to it. */
  confirms: boolean;
  /** True if a publisher opens a connection for each message. */
  reconnects: boolean;
  mqttVersion: TrialSpec['mqttVersion'];
  transport: TrialSpec['transport'];
  keepAliveS: number;
  localAddress: string | null;
  credentials: { username: string; password: string } | null;
  tls: (ReturnType<typeof makeContextOptions> & { serverName: string }) | null;
}

/** Maximum keep-alive of MQTT: no ping is sent unless the workload requires one. */
const keepAliveS = 65_535;

/** As fast as possible, a pipe would take in thousands of messages of the warm-up before the first measured one. */
export function confirmsMessages({ role, spec }: Pick<PrepareClient, 'role' | 'spec'>): boolean {
  return role === 'publisher' && spec.readingsPerSecond === null && !reconnects(spec);
}

/** Writes the file with mode 0600; resolves with its path. */
export async function writeScriptSettings({ command, folder }: ClientProgramOptions): Promise<string> {
  const { spec, authority, serverName, certificate, credentials, localAddress = null } = command;
  const { topic, qos, window, mqttVersion, transport } = spec;
  const peer = { authority: authority ?? '', serverName, certificate };
  const tls = spec.security === 'plain' ? null : { ...makeContextOptions(spec, peer), serverName };
  const settings: ScriptSettings = {
    topic,
    qos,
    window,
    confirms: confirmsMessages(command),
    reconnects: command.role === 'publisher' && reconnects(spec),
    mqttVersion,
    transport,
    keepAliveS,
    localAddress,
    credentials,
    tls,
  };
  const path = join(folder, 'client.json');
  await writeFile(path, JSON.stringify(settings), { mode: 0o600 });
  return path;
}
