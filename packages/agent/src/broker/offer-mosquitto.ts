import type { MqttVersion } from '@mqttlab/shared/domain/trial-spec';
import { probeOpensslTls } from '../capabilities/openssl-tls.ts';
import { ask, findProgram } from '../children/ask.ts';
import type { BrokerOffer } from './broker.ts';
import { MosquittoBroker } from './mosquitto.ts';
import { largestPacketBytes } from './mosquitto-configuration.ts';
import { findDeathSignalCommand, type MosquittoInstallation } from './mosquitto-installation.ts';

/** Looks for Mosquitto on this device; null when there is none that can be used. */
export async function offerMosquitto(): Promise<BrokerOffer | null> {
  const binary = await findProgram('mosquitto');
  if (binary === null) return null;
  const [help, tls, deathSignalCommand] = await Promise.all([
    ask(binary, ['-h']),
    probeOpensslTls(binary),
    findDeathSignalCommand(),
  ]);
  const version = parseMosquittoVersion(help.stdout + help.stderr);
  if (version === null) return null;
  const installation: MosquittoInstallation = {
    binary,
    version,
    tlsLibrary: tls.library,
    deathSignalCommand,
  };
  return {
    capability: {
      kind: 'mosquitto',
      version,
      mqttVersions: mqttVersionsOf(version),
      maximumPacketBytes: largestPacketBytes,
      transports: ['tcp'],
      sharedSubscriptions: false,
      clientCertificates: tls.suites.length > 0,
      // It sets SSL_CTX_set_dh_auto(3), which overrules the parameters of its own dhparamfile.
      choosesFiniteField: false,
      // It leaves OpenSSL's tickets on and sets a session context, so both versions resume.
      resumes: tls.suites.length > 0 ? ['TLS 1.2', 'TLS 1.3'] : [],
      tls,
    },
    make: (options) => new MosquittoBroker(installation, options),
  };
}

/** From "mosquitto version 2.0.11"; null when the text is something else. */
export function parseMosquittoVersion(text: string): string | null {
  return /mosquitto version (\d+\.\d+(?:\.\d+)?)/.exec(text)?.[1] ?? null;
}

/** MQTT 5 came with Mosquitto 1.6 (its ChangeLog). */
export function mqttVersionsOf(version: string): MqttVersion[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const five = major > 1 || (major === 1 && minor >= 6);
  return five ? ['3.1', '3.1.1', '5.0'] : ['3.1', '3.1.1'];
}
