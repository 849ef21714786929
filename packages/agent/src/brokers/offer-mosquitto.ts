import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MqttTransport, MqttVersion } from '@mqttlab/shared/domain/plans/trial-spec';
import { ask, findDeathSignalCommand, findProgram } from '../children/programs.ts';
import { probeOpensslTls } from '../tls/tls-library.ts';
import type { BrokerOffer } from './broker.ts';
import { MosquittoBroker, type MosquittoInstallation } from './mosquitto.ts';
import { largestPacketBytes, serviceFiles } from './mosquitto-configuration.ts';

/** Looks for Mosquitto on this device; null when there is none that can be used. */
export async function offerMosquitto(): Promise<BrokerOffer | null> {
  const binary = await findProgram('mosquitto');
  if (binary === null) return null;
  const [help, tls, deathSignalCommand, fileLimitCommand, speaksWebSocket] = await Promise.all([
    ask(binary, ['-h']),
    probeOpensslTls(binary),
    findDeathSignalCommand(),
    findFileLimitCommand(),
    probeWebSocket(binary),
  ]);
  const version = parseMosquittoVersion(help.stdout + help.stderr);
  if (version === null) return null;
  const installation: MosquittoInstallation = {
    binary,
    version,
    tlsLibrary: tls.library,
    deathSignalCommand,
    fileLimitCommand,
  };
  return {
    capability: {
      kind: 'mosquitto',
      version,
      mqttVersions: mqttVersionsOf(version),
      maximumPacketBytes: largestPacketBytes,
      transports: transportsOf(version, speaksWebSocket),
      // They came with MQTT 5 (Mosquitto 1.6).
      sharedSubscriptions: mqttVersionsOf(version).includes('5.0'),
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

/** Before 2.0 it has no Unix sockets, which a configuration for WebSocket alone needs. */
export function transportsOf(version: string, speaksWebSocket: boolean): MqttTransport[] {
  return speaksWebSocket && Number.parseInt(version, 10) >= 2 ? ['tcp', 'websocket'] : ['tcp'];
}

/** Whether it was built with libwebsockets: the one that was not refuses the word before the next, wrong, line. */
async function probeWebSocket(binary: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'mqttlab-probe-'));
  try {
    const path = join(folder, 'mosquitto.conf');
    await writeFile(path, 'listener 1 127.0.0.1\nprotocol websockets\nmqttlab_probe\n');
    const { stdout, stderr } = await ask(binary, ['-c', path]);
    return /unknown configuration variable/i.test(stdout + stderr);
  } finally {
    // A few bytes in the folder for temporary files must not keep the agent from starting.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

/** RLIMIT_NOFILE, through prlimit(1) of util-linux: Node.js has raised its own, and children inherit it. */
async function findFileLimitCommand(): Promise<readonly string[]> {
  const prlimit = await findProgram('prlimit');
  return prlimit === null ? [] : [prlimit, `--nofile=${serviceFiles}:${serviceFiles}`];
}
