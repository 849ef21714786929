import type { AgentCapabilities, TestbedCapabilities } from '@mqttlab/shared/domain/capabilities';
import { roles } from '@mqttlab/shared/domain/device';

const tls: AgentCapabilities['tls'] = {
  library: 'OpenSSL 3.5.0',
  suites: ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  groups: ['X25519', 'P-256'],
  certificates: ['ECDSA P-256', 'RSA 2048'],
};

/** What an agent on a small machine announces. */
export function makeTestAgentCapabilities(change: Partial<AgentCapabilities> = {}): AgentCapabilities {
  return {
    agentVersion: '0.1.0',
    hostname: 'bench',
    bootId: '3b0c8a0e-0000-4000-8000-000000000001',
    os: 'Debian GNU/Linux 12',
    kernel: '6.12.0',
    architecture: 'arm64',
    cpuModel: 'Cortex-A76',
    cpuCores: 4,
    cpuFeatures: ['aes', 'neon'],
    memoryBytes: 8e9,
    diskFreeBytes: 2e10,
    nodeVersion: '24.21.0',
    interfaces: [{ name: 'lo', kind: 'loopback', address: '127.0.0.1', up: true }],
    tls,
    brokers: [
      {
        kind: 'mosquitto',
        version: '2.0.11',
        mqttVersions: ['3.1', '3.1.1', '5.0'],
        maximumPacketBytes: 268_435_455,
        tls,
      },
    ],
    ...change,
  };
}

/** A testbed with its three devices online. */
export function makeTestTestbed(change: Partial<TestbedCapabilities> = {}): TestbedCapabilities {
  return {
    testbedId: 'local',
    name: 'This machine',
    devices: roles.map((role) => ({
      deviceId: `local-${role}`,
      name: `local ${role}`,
      role,
      online: true,
      capabilities: makeTestAgentCapabilities(),
    })),
    ...change,
  };
}
