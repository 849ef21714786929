import { type ClientEngine, isCoap } from '@mqttlab/shared/domain/trial-spec';
import { CoapDriver } from '../coap/coap-driver.ts';
import { LoadClient } from '../load/load-client.ts';
import type { LoadDriver, LoadDriverOptions } from '../load/load-driver.ts';
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
