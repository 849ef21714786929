import type { BrokerHost, BrokerOffer } from './broker.ts';
import { offerEmbedded } from './embedded.ts';
import { offerMosquitto } from './mosquitto.ts';

/** Finds out whether this device can run a broker of that kind; null when it cannot. */
export type BrokerProbe = (host: BrokerHost) => Promise<BrokerOffer | null>;

/** Every broker there is, the one to prefer first; a new one is one line here. */
export const brokerProbes: Readonly<Record<'mosquitto' | 'embedded', BrokerProbe>> = {
  mosquitto: offerMosquitto,
  embedded: offerEmbedded,
};
