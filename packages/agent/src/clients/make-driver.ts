import { type ClientEngine, isCoap } from '@mqttlab/shared/domain/plans/trial-spec';
import type { LoadDriver, LoadDriverOptions } from '../load-process/worker-messages.ts';
import { CoapDriver } from '../workloads/coap/coap-driver.ts';
import { LoadClient } from '../workloads/load-client.ts';
import { MosquittoDriver } from './mosquitto-driver.ts';

/** Every client engine; a new one is one line here. */
const drivers: Readonly<Record<ClientEngine, (options: LoadDriverOptions) => LoadDriver>> = {
  native: (options) => new LoadClient(options),
  'mosquitto clients': (options) => new MosquittoDriver(options),
};

export function makeLoadDriver(options: LoadDriverOptions): LoadDriver {
  const { spec } = options.command;
  return isCoap(spec) ? new CoapDriver(options) : drivers[spec.client](options);
}
