import { reconnects } from '@mqttlab/shared/catalogue/workloads';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import { makePublishTemplate, type PublishTemplate } from '../mqtt/packets.ts';
import type { MicrosecondClock } from '../pacing/clock.ts';
import { PublisherLoad } from '../workloads/publisher-load.ts';
import { ReconnectLoad } from '../workloads/reconnect-load.ts';
import type { RoleLoad } from '../workloads/role-load.ts';
import { SubscriberLoad } from '../workloads/subscriber-load.ts';
import { ProcessReconnects, type ProcessReconnectsOptions } from './process-reconnects.ts';

type ProcessLoadOptions = Omit<ProcessReconnectsOptions, 'template'> & {
  command: PrepareClient;
  clock: MicrosecondClock;
};

interface ProcessLoad {
  load: RoleLoad;
  /** As our own publisher writes messages, for whoever turns them into lines. */
  template: PublishTemplate;
  /** Where a publisher makes a connection for each message. */
  reconnects: ProcessReconnects | null;
}

/** What our own publisher and subscriber do while other programs have the connections. */
export function makeProcessLoad({ command: asked, clock, ...options }: ProcessLoadOptions): ProcessLoad {
  // Acknowledgements are the clients' business.
  const command = asked.role === 'publisher' ? { ...asked, spec: { ...asked.spec, qos: 0 as const } } : asked;
  const inner = { command, clock, payloadCipher: null };
  const template = makePublishTemplate(command.spec, command.runTag);
  if (command.role === 'subscriber') return { load: new SubscriberLoad(inner), template, reconnects: null };
  if (!reconnects(command.spec)) return { load: new PublisherLoad(inner), template, reconnects: null };
  const lanes = new ProcessReconnects({ ...options, template });
  const { makeConnection } = lanes;
  return { load: new ReconnectLoad({ ...inner, makeConnection }), template, reconnects: lanes };
}
