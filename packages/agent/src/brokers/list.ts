import type { BrokerKind } from '@mqttlab/shared/domain/plans/trial-spec';
import type { BrokerHost, BrokerOffer } from './broker.ts';
import { offerEmbedded } from './embedded.ts';
import { offerMosquitto } from './mosquitto.ts';

/** Detects a broker of that kind on this device; null if it cannot run here. */
export type BrokerProbe = (host: BrokerHost) => Promise<BrokerOffer | null>;

/** All brokers, the preferred one first. A new broker is one line here. */
export const brokerProbes: Readonly<Record<Exclude<BrokerKind, 'external'>, BrokerProbe>> = {
  mosquitto: offerMosquitto,
  embedded: offerEmbedded,
};
