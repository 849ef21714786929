import type { BrokerKind } from '@mqttlab/shared/domain/plans/trial-spec';
import type { BrokerHost, BrokerOffer } from './broker.ts';
import { offerEmbedded } from './embedded.ts';
import { offerMosquitto } from './mosquitto.ts';

/** Detects a broker of that kind on this device; returns null if it cannot run here. */
export type BrokerProbe = (host: BrokerHost) => Promise<BrokerOffer | null>;

/** All brokers, the preferred broker first. To support another broker, add a line here. */
export const brokerProbes: Readonly<Record<Exclude<BrokerKind, 'external'>, BrokerProbe>> = {
  mosquitto: offerMosquitto,
  embedded: offerEmbedded,
};
