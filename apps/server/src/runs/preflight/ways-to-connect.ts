import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';

export interface WayToConnect {
  /** For example "TLS 1.3, TLS_AES_256_GCM_SHA384, X25519, ECDSA P-256". */
  name: string;
  spec: TrialSpec;
}

export interface Ways {
  /** Together they hold every setting at least once. */
  covering: WayToConnect[];
  /** Only other combinations of the same settings. */
  others: WayToConnect[];
}

/** One specification of a plan for each way to connect, those that bring a setting not met before apart. */
export function findWays(plan: Plan): Ways {
  const byName = new Map<string, TrialSpec>();
  for (const { spec } of plan.treatments) {
    const name = wordsOf(spec).join(', ');
    if (!byName.has(name)) byName.set(name, spec);
  }
  const met = new Set<string>();
  const ways: Ways = { covering: [], others: [] };
  for (const [name, spec] of byName) {
    const settings = settingsOf(spec);
    const brings = settings.some((setting) => !met.has(setting));
    for (const setting of settings) met.add(setting);
    ways[brings ? 'covering' : 'others'].push({ name, spec });
  }
  return ways;
}

/** What decides about a connection, in words; what is usual is left unsaid. */
function wordsOf(spec: TrialSpec): string[] {
  const unless = (usual: string, value: string | null, words = value) => (value === usual ? null : words);
  const words = [
    spec.security === 'plain' ? 'Plain' : spec.security,
    spec.cipherSuite,
    spec.group,
    spec.certificate,
    spec.chainLength === null || spec.chainLength === 1 ? null : `chain of ${spec.chainLength}`,
    unless('none', spec.clientCertificate),
    unless('full', spec.session),
    unless('5.0', spec.mqttVersion, `MQTT ${spec.mqttVersion}`),
    unless('mosquitto', spec.broker, `${spec.broker} broker`),
    unless('native', spec.client),
    unless('tcp', spec.transport),
    unless('mqtt', spec.applicationProtocol, spec.applicationProtocol.replace('coap', 'CoAP')),
    unless('as published', spec.brokerHardening, `${spec.brokerHardening} broker`),
    unless('lo', spec.link),
  ];
  return words.filter((word) => word !== null);
}

function settingsOf(spec: TrialSpec): string[] {
  const { security, cipherSuite, group, certificate, chainLength, clientCertificate, session } = spec;
  const { mqttVersion, broker, client, transport, link, applicationProtocol, brokerHardening } = spec;
  return Object.entries({
    cipherSuite,
    group,
    certificate,
    chainLength,
    clientCertificate,
    mqttVersion,
    broker,
    client,
    transport,
    link,
    applicationProtocol,
    brokerHardening,
    // Versions differ in how they resume.
    session: `${security} ${session}`,
  }).map(([name, value]) => `${name}=${value}`);
}
