import { X509Certificate } from 'node:crypto';
import type { AuthorityRotation, RotatedDevice } from '@mqttlab/shared/messages/tls';
import { conflict } from '../base/errors.ts';
import type { AgentHub } from '../devices/agent-hub.ts';
import type { LocalTestbed } from '../devices/local-testbed.ts';
import { localTestbed, type Testbeds } from '../devices/testbeds.ts';
import type { Stores } from '../store/stores.ts';
import { agentAddressOf, type Transport } from '../transport.ts';
import type { RemoteDevices } from './remote-devices.ts';

interface RotationServices {
  transport: Pick<Transport, 'rotation' | 'pinned' | 'server'>;
  stores: Pick<Stores, 'devices' | 'sshDevices'>;
  agents: Pick<AgentHub, 'requestTrust'>;
  testbeds: Pick<Testbeds, 'listTestbeds'>;
  remote: Pick<RemoteDevices, 'trust' | 'isWorking'>;
  local: Pick<LocalTestbed, 'moveTo'>;
}

/**
 * Replaces the server's certificate authority. Connected agents pin the old and the new CA certificate. After
 * the server has switched, they only pin the new certificate. Rejects with a 409 problem if there is no
 * authority to replace or devices are in use.
 */
export function makeAuthorityRotator(services: RotationServices): () => Promise<AuthorityRotation> {
  let isRotating = false;
  return async () => {
    if (isRotating) throw conflict('The authority is being replaced.', 'Wait until it has been replaced.');
    isRotating = true;
    try {
      return await rotateAuthority(services);
    } finally {
      isRotating = false;
    }
  };
}

async function rotateAuthority(services: RotationServices): Promise<AuthorityRotation> {
  const { transport, stores, testbeds, remote } = services;
  const { rotation } = transport;
  const old = transport.pinned();
  if (rotation === null || old === null) {
    throw conflict(
      'This server has no certificate authority: its certificate comes from MQTTLAB_TLS_CERTIFICATE, or it serves plain HTTP.',
      'Request a new certificate from its issuer.',
    );
  }
  const devices = stores.devices
    .listDevices()
    .filter(({ testbedId }) => testbedId !== localTestbed.testbedId);
  const isBusy =
    testbeds.listTestbeds().some(({ busyWith, probing }) => busyWith !== null || probing) ||
    devices.some(({ id }) => remote.isWorking(id));
  if (isBusy) {
    throw conflict(
      'Devices are in use by an experiment or an installation.',
      'Pause experiments, wait until installations have ended, then try again.',
    );
  }
  const next = await rotation.stage();
  const before = await trust(services, [old, next]);
  const { pinned } = await rotation.activate();
  const after = await trust(services, [pinned]);
  return {
    certificate: pinned,
    fingerprint: new X509Certificate(pinned).fingerprint256,
    devices: devices.map(({ id, name }) => {
      const connection = stores.sshDevices.findSshDevice(id)?.connection ?? null;
      return { id, name, ...outcomeOf(connection, before.get(id), after.get(id)) };
    }),
  };
}

/**
 * Requests that every connected agent pin these certificates (PEM). True: the agent pins them. False: it pins
 * no certificates. Undefined: it did not respond. Devices that are not in the map are offline.
 */
async function trust(
  { transport, agents, remote, local }: RotationServices,
  authorities: readonly string[],
): Promise<Map<string, boolean | undefined>> {
  local.moveTo(agentAddressOf(transport.server, authorities));
  const [answers, reached] = await Promise.all([agents.requestTrust(authorities), remote.trust(authorities)]);
  for (const [deviceId, isReached] of reached) answers.set(deviceId, isReached || answers.get(deviceId));
  return answers;
}

/**
 * Returns the outcome for a device. `before` and `after`: responses of the agent before and after the switch,
 * as returned by `trust`.
 */
function outcomeOf(
  connection: 'direct' | 'tunnel' | null,
  before: boolean | undefined,
  after: boolean | undefined,
): Pick<RotatedDevice, 'state' | 'remedy'> {
  if (connection === 'tunnel') return { state: 'not-needed', remedy: null };
  if (connection === 'direct') {
    if (after === true) return { state: 'pinned', remedy: null };
    const remedy =
      'Switch on the device. The server writes the certificate over SSH as soon as it can connect.';
    return { state: 'pending', remedy };
  }
  if (before === true && after === true) return { state: 'pinned', remedy: null };
  const remedy =
    after === false
      ? "Import the certificate into the device's system, or set the agent's NODE_EXTRA_CA_CERTS to its file, and restart the agent."
      : "Write the certificate to the file named by the agent's NODE_EXTRA_CA_CERTS, and restart the agent.";
  return { state: 'by-hand', remedy };
}
