import { X509Certificate } from 'node:crypto';
import type { AuthorityRotation, RotatedDevice } from '@mqttlab/shared/messages/tls';
import { conflict } from '../base/errors.ts';
import { localTestbed } from '../devices/local-testbed.ts';
import type { Stores } from '../stores.ts';
import type { TestbedRuntime } from '../testbed-runtime.ts';
import type { Transport } from '../transport.ts';

interface RotationOptions {
  transport: Pick<Transport, 'rotation' | 'pinned'>;
  runtime: Pick<TestbedRuntime, 'trust' | 'testbeds' | 'remoteDevices'>;
  stores: Pick<Stores, 'devices' | 'sshDevices'>;
}

/**
 * Replaces the server's authority: agents within reach pin the old and the new one, the server switches, and then they
 * pin the new one alone. Rejects with a 409 problem if there is no authority to replace or devices are in use.
 */
export function makeAuthorityRotator({ transport, runtime, stores }: RotationOptions) {
  let isRotating = false;
  const rotate = async (): Promise<AuthorityRotation> => {
    const { rotation } = transport;
    const old = transport.pinned();
    if (rotation === null || old === null) {
      throw conflict(
        'This server has no authority of its own: its certificate comes from MQTTLAB_TLS_CERTIFICATE, or it serves plain HTTP.',
        'Replace the certificate where it was made.',
      );
    }
    const devices = stores.devices.list().filter(({ testbedId }) => testbedId !== localTestbed.testbedId);
    const isBusy =
      runtime.testbeds.list().some(({ busyWith, probing }) => busyWith !== null || probing) ||
      devices.some(({ id }) => runtime.remoteDevices.isWorking(id));
    if (isBusy) {
      throw conflict(
        'Devices are in use by an experiment or an installation.',
        'Pause experiments, wait until installations have ended, then try again.',
      );
    }
    const next = await rotation.stage();
    const before = await runtime.trust([old, next]);
    const { pinned } = await rotation.activate();
    const after = await runtime.trust([pinned]);
    return {
      certificate: pinned,
      fingerprint: new X509Certificate(pinned).fingerprint256,
      devices: devices.map(({ id, name }) => {
        const connection = stores.sshDevices.find(id)?.connection ?? null;
        return { id, name, ...outcomeOf(connection, before.get(id), after.get(id)) };
      }),
    };
  };
  return async (): Promise<AuthorityRotation> => {
    if (isRotating) throw conflict('The authority is being replaced.', 'Wait until it is done.');
    isRotating = true;
    try {
      return await rotate();
    } finally {
      isRotating = false;
    }
  };
}

/** `before` and `after`: answers of the agent around the switch, as `TestbedRuntime.trust` returns them. */
function outcomeOf(
  connection: 'direct' | 'tunnel' | null,
  before: boolean | undefined,
  after: boolean | undefined,
): Pick<RotatedDevice, 'state' | 'remedy'> {
  if (connection === 'tunnel') return { state: 'not-needed', remedy: null };
  if (connection === 'direct') {
    if (after === true) return { state: 'pinned', remedy: null };
    const remedy =
      'Switch the device on: the server writes the certificate over SSH as soon as it reaches it.';
    return { state: 'pending', remedy };
  }
  if (before === true && after === true) return { state: 'pinned', remedy: null };
  const remedy =
    after === false
      ? "Import the certificate into the device's system, or name its file in NODE_EXTRA_CA_CERTS of the agent, and start the agent again."
      : 'Write the certificate into the file that NODE_EXTRA_CA_CERTS of the agent names, and start the agent again.';
  return { state: 'by-hand', remedy };
}
