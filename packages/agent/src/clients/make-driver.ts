import { isCoap } from '@mqttlab/shared/domain/plans/trial-spec';
import type { LoadDriver, LoadDriverOptions } from '../load-process/worker-messages.ts';
import { CoapDriver } from '../workloads/coap/coap-driver.ts';
import { LoadClient } from '../workloads/load-client.ts';
import { ProcessDriver } from './process-driver.ts';

export function makeLoadDriver(options: LoadDriverOptions): LoadDriver {
  const { spec } = options.command;
  if (isCoap(spec)) return new CoapDriver(options);
  const { client: engine } = spec;
  // A device without an agent only publishes, and no driver of ours does it.
  return engine === 'native' || engine === 'external device'
    ? new LoadClient(options)
    : new ProcessDriver({ ...options, engine });
}
