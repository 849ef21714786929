import { agentCommand, layout } from './device-layout.ts';
import { quoteShell } from './quote-shell.ts';

/**
 * Shaping links needs CAP_NET_ADMIN, hardware counters CAP_PERFMON (Debian keeps perf_event_open(2) from users);
 * everything else the agent does as a user without rights.
 */
const capabilities = ['CAP_NET_ADMIN', 'CAP_PERFMON'];

/** The unit of systemd.exec(5) for the agent of a device. The id is made of letters, digits and hyphens. */
export function makeAgentUnit(deviceId: string): string {
  const lines = [
    '[Unit]',
    'Description=mqttlab agent: carries out experiments on this device',
    'After=network.target',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    `ExecStart=${agentCommand(deviceId).join(' ')}`,
    `User=${layout.account}`,
    'Restart=always',
    'RestartSec=2',
    // The agent ends its broker and clients itself; whatever it could not end goes with the unit.
    'KillMode=mixed',
    'TimeoutStopSec=15',
    'StateDirectory=mqttlab-agent',
    'StateDirectoryMode=0700',
    `AmbientCapabilities=${capabilities.join(' ')}`,
    `CapabilityBoundingSet=${capabilities.join(' ')}`,
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'ProtectHome=yes',
    'PrivateTmp=yes',
    'ProtectKernelTunables=yes',
    'ProtectKernelModules=yes',
    'ProtectControlGroups=yes',
    'ProtectHostname=yes',
    'ProtectClock=yes',
    'RestrictNamespaces=yes',
    'RestrictSUIDSGID=yes',
    'RestrictRealtime=yes',
    'LockPersonality=yes',
    'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service perf_event_open',
    'UMask=0077',
    'OOMPolicy=continue',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ];
  return lines.join('\n');
}

/**
 * The same without systemd: a shell that starts the agent again whenever it ends, under the same user and with the
 * same capabilities, until it is told to stop. It keeps its process id where the stop finds it.
 */
export function makeSupervisor(deviceId: string): string {
  const names = capabilities.map((name) => name.toLowerCase().replace('cap_', '+')).join(',');
  const setpriv = [
    'setpriv',
    `--reuid=${layout.account}`,
    `--regid=${layout.account}`,
    '--clear-groups',
    '--no-new-privs',
    `--inh-caps=${names}`,
    `--ambient-caps=${names}`,
    '--',
  ];
  return [
    '#!/bin/sh',
    '# Starts the mqttlab agent again whenever it ends.',
    'umask 077',
    `echo $$ > ${layout.folder}/supervisor.pid`,
    'agent=',
    `trap 'trap - TERM; [ -z "$agent" ] || { kill -TERM "$agent"; wait "$agent"; }; rm -f ${layout.folder}/supervisor.pid; exit 0' TERM`,
    'while true; do',
    `  ${quoteShell([...setpriv, ...agentCommand(deviceId)])} >> ${layout.folder}/agent.log 2>&1 &`,
    '  agent=$!',
    '  wait "$agent"',
    '  sleep 2 &',
    '  wait $!',
    'done',
    '',
  ].join('\n');
}
