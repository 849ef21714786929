import type { FactorDefinition } from '../domain/factor.ts';
import { abuse } from './factors/abuse.ts';
import { aesInstructions } from './factors/aes-instructions.ts';
import { alterEvery } from './factors/alter-every.ts';
import { applicationProtocol } from './factors/application-protocol.ts';
import { broker } from './factors/broker.ts';
import { brokerHardening } from './factors/broker-hardening.ts';
import { capture } from './factors/capture.ts';
import { certificate } from './factors/certificate.ts';
import { chainLength } from './factors/chain-length.ts';
import { cipherSuite } from './factors/cipher-suite.ts';
import { client } from './factors/client.ts';
import { clientCertificate } from './factors/client-certificate.ts';
import { cloudAuthentication } from './factors/cloud-authentication.ts';
import { connectionUse } from './factors/connection-use.ts';
import { delay } from './factors/delay.ts';
import { foreignTreatment } from './factors/foreign-treatment.ts';
import { group } from './factors/group.ts';
import { impairedDirection } from './factors/impaired-direction.ts';
import { jitter } from './factors/jitter.ts';
import { keepAlive } from './factors/keep-alive.ts';
import { keyLog } from './factors/key-log.ts';
import { link } from './factors/link.ts';
import { loadAgents } from './factors/load-agents.ts';
import { loadPool } from './factors/load-pool.ts';
import { loss } from './factors/loss.ts';
import { mqttVersion } from './factors/mqtt-version.ts';
import { payloadCipher } from './factors/payload-cipher.ts';
import { payloadEncoding } from './factors/payload-encoding.ts';
import { publishers } from './factors/publishers.ts';
import { qos } from './factors/qos.ts';
import { rate } from './factors/rate.ts';
import { rateLimit } from './factors/rate-limit.ts';
import { readingBytes } from './factors/reading-bytes.ts';
import { readingsPerMessage } from './factors/readings-per-message.ts';
import { security } from './factors/security.ts';
import { session } from './factors/session.ts';
import { sharedSubscription } from './factors/shared-subscription.ts';
import { subscribers } from './factors/subscribers.ts';
import { topology } from './factors/topology.ts';
import { transport } from './factors/transport.ts';

/** All factors, in the order of tables and labels. To add a factor, add its file and a line here. */
export const factors: readonly FactorDefinition[] = [
  // These factors are first, because the levels and the applicability of other factors depend on them.
  applicationProtocol,
  broker,
  topology,
  security,
  cipherSuite,
  group,
  certificate,
  chainLength,
  clientCertificate,
  cloudAuthentication,
  session,
  abuse,
  brokerHardening,
  payloadCipher,
  payloadEncoding,
  // After the payload cipher, on which this factor depends.
  alterEvery,
  qos,
  mqttVersion,
  keepAlive,
  readingBytes,
  readingsPerMessage,
  rate,
  // Before the number of publishers, which depends on the devices.
  loadPool,
  loadAgents,
  publishers,
  // After the number of subscribers and the MQTT version, on which this factor depends.
  subscribers,
  sharedSubscription,
  connectionUse,
  link,
  // After the broker, whose device also applies them; jitter after delay, and the direction after all of
  // these.
  loss,
  delay,
  jitter,
  rateLimit,
  impairedDirection,
  transport,
  client,
  // After broker, security and client, which determine what can be captured.
  capture,
  keyLog,
  // After security and payload cipher: without either, nothing is encrypted.
  aesInstructions,
];

/** Factors that treatments in stored results can have; the factors that plans can vary are `factors`. */
export const resultFactors: readonly FactorDefinition[] = [...factors, foreignTreatment];

/** Returns undefined for an id that is not in the catalogue. */
export function findFactor(id: string): FactorDefinition | undefined {
  return resultFactors.find((factor) => factor.id === id);
}
