/** Everything that an installation puts on a device; removing it leaves nothing. */
export const layout = {
  account: 'mqttlab-agent',
  folder: '/opt/mqttlab-agent',
  node: '/opt/mqttlab-agent/node',
  agent: '/opt/mqttlab-agent/agent.mjs',
  /** Its secret; only the agent may read it. */
  token: '/opt/mqttlab-agent/token',
  /** Where it dials: written anew by the server whenever that changes. */
  server: '/opt/mqttlab-agent/server',
  /** Keeps the agent running where there is no systemd. */
  supervisor: '/opt/mqttlab-agent/supervise',
  /** Results that are not delivered yet. */
  data: '/var/lib/mqttlab-agent',
  unit: '/etc/systemd/system/mqttlab-agent.service',
  service: 'mqttlab-agent.service',
} as const;

/** What both ways to keep the agent running start, without what follows. */
export function agentCommand(deviceId: string): string[] {
  return [
    layout.node,
    '--disable-warning=ExperimentalWarning',
    layout.agent,
    '--server-file',
    layout.server,
    '--token-file',
    layout.token,
    '--name',
    deviceId,
    '--data',
    layout.data,
  ];
}
