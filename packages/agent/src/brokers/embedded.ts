import { brokerPortsSchema } from '@mqttlab/shared/domain/devices/broker-ports';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import type { BrokerReady } from '@mqttlab/shared/messages/agent';
import * as z from 'zod';
import { aesEnvironment } from '../tls/aes-instructions.ts';
import { brokerGroupListOf } from '../tls/suites-and-groups.ts';
import type { Broker, BrokerFacts, BrokerHost, BrokerOffer, BrokerOptions, ProgramEntry } from './broker.ts';
import { type EmbeddedAnswer, type EmbeddedListen, embeddedAnswerSchema } from './embedded-listen.ts';
import { largestPacketBytes } from './mosquitto.ts';

/**
 * Version of the bundled aedes, defined here so that the agent can announce the broker without loading it.
 */
export const aedesVersion = '1.2.0';

/**
 * Offers the embedded broker, which is always available because it is part of the agent and uses the OpenSSL
 * in Node.
 */
export async function offerEmbedded({ entry, nodeTls }: BrokerHost): Promise<BrokerOffer> {
  return {
    capability: {
      kind: 'embedded',
      version: aedesVersion,
      mqttVersions: ['3.1', '3.1.1'],
      maximumPacketBytes: largestPacketBytes,
      transports: ['tcp', 'websocket'],
      // Aedes treats "$share/.." as a normal topic.
      sharedSubscriptions: false,
      clientCertificates: true,
      choosesFiniteField: true,
      resumes: ['TLS 1.2', 'TLS 1.3'],
      tls: await nodeTls,
    },
    make: (options) => makeEmbeddedBroker({ entry, version: aedesVersion }, options),
  };
}

/** Runs aedes in a child process, for devices without Mosquitto; supports MQTT 3.1 and 3.1.1 only. */
function makeEmbeddedBroker(
  { entry, version }: { entry: ProgramEntry; version: string },
  options: BrokerOptions,
): Broker {
  const { spec, tls, address, ports } = options;
  const { transport, security, cipherSuite, group } = spec;
  const { certificateChain = '', privateKey = '', clientAuthority = null } = tls ?? {};
  const listen: EmbeddedListen = {
    address,
    ...(ports && { ports }),
    transport,
    security,
    cipherSuite,
    group,
    groupList: brokerGroupListOf(spec),
    tls: tls && { certificateChain, privateKey, clientAuthority },
  };
  return new ChildBroker({
    ...options,
    entry,
    mode: 'embedded-broker',
    kind: 'embedded',
    version,
    name: 'The embedded broker',
    listen,
    facts: {
      'broker.configuration': `aedes ${version}, in-memory persistence, unthrottled, TCP_NODELAY`,
      'broker.tlsLibrary': `OpenSSL ${process.versions.openssl}`,
    },
  });
}

interface ChildBrokerOptions extends Pick<BrokerOptions, 'spec' | 'address' | 'records' | 'onLog'> {
  entry: ProgramEntry;
  /** Mode in which this program starts itself. */
  mode: string;
  kind: string;
  version: string;
  /** Name within a sentence: "The embedded broker". */
  name: string;
  /** Settings of the server, sent once over IPC. */
  listen: object;
  facts: BrokerFacts;
}

const startTimeoutMs = 10_000;
const killAfterMs = 500;

/** Runs an mqttlab server in a child process that receives its address over IPC and exits with the agent. */
class ChildBroker implements Broker {
  readonly #options: ChildBrokerOptions;
  #child: ManagedChild | null = null;
  #stopped = false;
  #listener: ((lastLines: string) => void) | null = null;

  constructor(options: ChildBrokerOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  onExit(listener: (lastLines: string) => void): void {
    this.#listener = listener;
  }

  async start(): Promise<BrokerReady> {
    if (this.#stopped) throw new Failure(this.#startFailed('stopped before it had started'));
    const answer = await this.#launch();
    if (answer.kind === 'failed' || this.pid === null) {
      await this.stop();
      if (answer.kind === 'failed' && answer.failure) throw new Failure(answer.failure);
      throw new Failure(this.#startFailed(answer.kind === 'failed' ? answer.reason : 'it has no pid'));
    }
    const { address, kind, version } = this.#options;
    return { address, port: answer.port, kind, version, pid: this.pid };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#child?.stop();
  }

  facts(): BrokerFacts {
    return { ...this.#options.facts, 'broker.endsWithAgent': true };
  }

  #launch(): Promise<EmbeddedAnswer> {
    const { entry, mode, records, listen, spec } = this.#options;
    return new Promise((resolve) => {
      const fail = (reason: string) => resolve({ kind: 'failed', reason });
      const timer = setTimeout(() => fail('it did not answer'), startTimeoutMs);
      const child = new ManagedChild({
        command: entry.execPath,
        args: [...entry.args, mode],
        environment: aesEnvironment(spec),
        onMessage: (message) => {
          const answer = embeddedAnswerSchema.safeParse(message);
          if (answer.success) resolve(answer.data);
          else fail(`it answered ${JSON.stringify(message)}`);
        },
        onLine: (line) => this.#log(line),
        killAfterMs,
        records,
      });
      this.#child = child;
      child.start();
      child.exit
        .catch((error) => this.#log(reasonOf(error)))
        .then(() => {
          clearTimeout(timer);
          fail(child.lastLines || 'it ended without output');
          if (!this.#stopped) this.#listener?.(child.lastLines);
        });
      child.send(listen);
    });
  }

  #log(line: string): void {
    this.#options.onLog(/^warning/i.test(line) ? 'warn' : 'info', line);
  }

  #startFailed(reason: string) {
    return {
      code: 'broker-start',
      message: `${this.#options.name} did not start: ${reason}`,
      remedy: 'The usual causes are the address, the certificate, the suite or the group.',
    };
  }
}

/** Settings of the CoAP server, sent once over IPC. */
export const coapListenSchema = z.strictObject({
  address: z.string(),
  /** UDP ports to choose from; if absent, any free port. */
  ports: brokerPortsSchema.optional(),
});
type CoapListen = z.infer<typeof coapListenSchema>;

/** Version of the bundled coap package, defined here so that the agent does not need to load it. */
const coapVersion = '1.5.0';

/** Makes the server that replaces the broker if messages are sent over CoAP. It runs in a child process. */
export function makeCoapServer(entry: ProgramEntry, options: BrokerOptions): Broker {
  const { address, ports } = options;
  const listen: CoapListen = { address, ...(ports && { ports }) };
  return new ChildBroker({
    ...options,
    entry,
    mode: 'coap-server',
    kind: 'CoAP server',
    version: coapVersion,
    name: 'The CoAP server',
    listen,
    facts: { 'broker.configuration': `coap ${coapVersion} (npm), UDP, responses with the acknowledgement` },
  });
}
