import { reconnects } from '@mqttlab/shared/catalogue/workloads';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { AbuserLoad } from './abuser-load.ts';
import { makeIdleLoad } from './connecting-load.ts';
import { HandshakeLoad } from './handshake-load.ts';
import { makeOwnConnections } from './message-connection.ts';
import { ProbeLoad } from './probe-load.ts';
import { PublisherLoad } from './publisher-load.ts';
import { ReconnectLoad } from './reconnect-load.ts';
import type { ConnectingLoadOptions, RoleLoad } from './role-load.ts';
import { StatesLoad } from './states-load.ts';
import { SubscriberLoad } from './subscriber-load.ts';

type MakeLoad = (options: ConnectingLoadOptions) => RoleLoad;

const reconnecting: MakeLoad = (options) =>
  new ReconnectLoad({ ...options, makeConnection: makeOwnConnections(options) });

const publishing: Readonly<Record<TrialSpec['workload'], MakeLoad>> = {
  stream: (options) =>
    reconnects(options.command.spec) ? reconnecting(options) : new PublisherLoad(options),
  burst: (options) => new PublisherLoad(options),
  reconnect: reconnecting,
  handshake: (options) => new HandshakeLoad(options),
  states: (options) => new StatesLoad(options),
  availability: (options) => new AbuserLoad(options),
};

const subscribing: Readonly<Record<TrialSpec['workload'], MakeLoad>> = {
  stream: (options) => new SubscriberLoad(options),
  burst: (options) => new SubscriberLoad(options),
  reconnect: (options) => new SubscriberLoad(options),
  handshake: makeIdleLoad,
  states: makeIdleLoad,
  availability: (options) => new ProbeLoad(options),
};

export const makeLoad: MakeLoad = (options) => {
  const { role, spec } = options.command;
  return (role === 'publisher' ? publishing : subscribing)[spec.workload](options);
};

/** Connections that stay open from connect to the end; workloads that make their own keep one, to show what is negotiated. */
export function keptConnections(role: 'publisher' | 'subscriber', spec: TrialSpec): number {
  if (role === 'subscriber') return spec.subscribers;
  const kept = spec.workload === 'burst' || (spec.workload === 'stream' && !reconnects(spec));
  return kept ? spec.publishers : 1;
}
