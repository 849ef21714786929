import { isCoap } from '@mqttlab/shared/domain/plans/trial-spec';
import { Failure } from '@mqttlab/shared/kit/failure';
import type { PrepareBroker } from '@mqttlab/shared/messages/agent';
import type { Broker, BrokerOptions } from '../brokers/broker.ts';
import { ExternalBroker } from '../brokers/external.ts';
import { identifyProcess } from '../children/child-records.ts';
import { checkAbuseBounds } from '../workloads/abuse-bounds.ts';
import { makeCoapServer } from '../workloads/coap/coap-server.ts';
import type { Facts } from './environment.ts';
import type { Device } from './role-run.ts';

/** The broker that the Trial asks for. Throws Failure 'no-broker' when this device does not have it. */
export function makeBroker(
  device: Pick<Device, 'entry' | 'offers' | 'procRoot' | 'sysRoot'>,
  { spec, external }: PrepareBroker,
  options: BrokerOptions,
): Broker {
  checkAbuseBounds(spec);
  if (isCoap(spec)) return makeCoapServer(device.entry, options);
  if (spec.broker === 'external') {
    if (external === null) throw missing('The Trial asks for an external broker, but none was named.');
    const { procRoot, sysRoot } = device;
    return new ExternalBroker({ spec, setting: external, procRoot, sysRoot, onLog: options.onLog });
  }
  const offer = device.offers.find(({ capability }) => capability.kind === spec.broker);
  if (offer === undefined) throw missing(`This device has no ${spec.broker} broker.`);
  if (!offer.capability.mqttVersions.includes(spec.mqttVersion)) {
    throw missing(`The ${spec.broker} broker of this device does not speak MQTT ${spec.mqttVersion}.`);
  }
  return offer.make(options);
}

/** Which process plays the broker, for the verdict that it did not restart. `suffix`: '' at the start, 'AtEnd'. */
export function describeProcess(procRoot: string, pid: number | null, suffix: '' | 'AtEnd'): Facts {
  const found = pid === null ? null : identifyProcess(procRoot, pid);
  return {
    [`process.pid${suffix}`]: found?.pid ?? null,
    [`process.startTicks${suffix}`]: found?.startTicks ?? null,
  };
}

function missing(message: string): Failure {
  const remedy = 'Install it there, set the external broker on the Devices page, or choose another one.';
  return new Failure({ code: 'no-broker', message, remedy });
}
