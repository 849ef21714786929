import { connect as connectTcp } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { findPayloadCipherDefinition } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import {
  type DeviceLine,
  deviceProtocolVersion,
  deviceTopics,
  readDeviceLine,
  writeKey,
} from '@mqttlab/shared/catalogue/external-device/protocol';
import type { ExternalDevice } from '@mqttlab/shared/domain/devices/external-device';
import type { ClockOffset, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import { waitAtMost, within } from '@mqttlab/shared/kit/waiting';
import type { Connected, PrepareClient } from '@mqttlab/shared/messages/agent';
import { type ClockSample, clockOffsetOf } from '@mqttlab/shared/statistics/estimates/clock-offset';
import type { MqttClient } from 'mqtt';
import { loadFailure } from '../base/load-failures.ts';
import { describeNegotiated } from '../clients/offered-tls.ts';
import type { MicrosecondClock } from '../pacing/clock.ts';
import { makeClientTls } from '../tls/client-tls.ts';
import { brokerGroupListOf } from '../tls/suites-and-groups.ts';

export type ExternalCommand = PrepareClient & { external: ExternalDevice };

/** Where a run says what happens; lines of this kind show on its page. */
interface DeviceLog {
  milestone(source: 'agent', text: string): void;
}

type LineOf<Kind extends DeviceLine['kind']> = Extract<DeviceLine, { kind: Kind }>;

const brokerTimeoutMs = 15_000;
/** Asked again so often: the device may have subscribed later than it was asked. */
const greetEveryMs = 1_000;
const clockExchanges = 16;
const clockTimeoutMs = 2_000;
/** An agreement on P-256 takes a small processor a second. */
const keyTimeoutMs = 10_000;
/** Apart, so that one hiccup of a radio does not spoil them all. */
const clockGapMs = 20;

/** What is said over MQTT with a device that has no agent; topics and lines in catalogue/external-device. */
export class DeviceConversation {
  readonly #command: ExternalCommand;
  readonly #clock: MicrosecondClock;
  readonly #onLine: (line: DeviceLine) => void;
  readonly #topics: ReturnType<typeof deviceTopics>;
  readonly #closed = Promise.withResolvers<never>();
  #client: MqttClient | null = null;
  #await: ((line: DeviceLine, atUs: number) => void) | null = null;
  #unreadable = 0;

  /** `onLine` gets every line, awaited or not. */
  constructor(command: ExternalCommand, clock: MicrosecondClock, onLine: (line: DeviceLine) => void) {
    this.#command = command;
    this.#clock = clock;
    this.#onLine = onLine;
    this.#topics = deviceTopics(command.external.name);
    this.#closed.promise.catch(() => {});
  }

  /** Lines that were none. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Connects to the broker, in the same way as the device has to. Rejects with Failure. */
  async open(): Promise<void> {
    const { broker, credentials, runTag } = this.#command;
    const [{ MqttClient: Client }, tls] = await Promise.all([import('mqtt'), makeClientTls(this.#command)]);
    const at = { host: broker.address, port: broker.port };
    const client = new Client(() => (tls === null ? connectTcp(at) : connectTls({ ...tls.take(), ...at })), {
      clientId: `mqttlab-${runTag.toString(16)}`,
      protocolVersion: 4,
      reconnectPeriod: 0,
      ...credentials,
    });
    this.#client = client;
    const opened = new Promise<void>((resolve, reject) => {
      client.on('error', (error) =>
        reject(loadFailure('connection-refused', `The broker refuses the agent: ${reasonOf(error)}`)),
      );
      client.once('connect', () => resolve());
    });
    client.on('message', (_topic, payload) => this.#hear(payload.toString('utf8')));
    await within(brokerTimeoutMs, noBroker, this.#unlessClosed(opened));
    await within(
      brokerTimeoutMs,
      noBroker,
      this.#unlessClosed(client.subscribeAsync(this.#topics.tell, { qos: 1 })),
    );
  }

  /** Waits until the device is there, and notes what its program says of itself. Rejects with Failure. */
  async join(log: DeviceLog, facts: RoleResult['environment']): Promise<Connected> {
    const { external, broker, spec } = this.#command;
    log.milestone('agent', `waiting for ${external.name} to connect to ${broker.address}:${broker.port}`);
    const program = await this.#meet();
    facts['device.program'] = program;
    log.milestone('agent', `${external.name} is connected (${program})`);
    // The broker offers this version, this suite and this group and nothing else: whoever is connected has agreed on them.
    const singleGroup = brokerGroupListOf(spec) !== null;
    return {
      negotiated: {
        ...describeNegotiated(this.#command, { local: null, singleGroup, grantedQos: null }),
        // Whether it kept a session of its own from an earlier run, the broker does not say.
        resumed: null,
      },
    };
  }

  async #meet(): Promise<string> {
    const { external, broker } = this.#command;
    const until = performance.now() + external.waitSeconds * 1000;
    while (performance.now() < until) {
      this.say('hello');
      const hello = await this.#next('hello', greetEveryMs);
      if (hello === null) continue;
      if (hello.version === deviceProtocolVersion) return hello.program;
      throw new Failure({
        code: 'device-program',
        message: `${external.name} has a program for version ${hello.version} of the protocol, not ${deviceProtocolVersion}.`,
        remedy: 'Give it the program that the Devices page shows.',
      });
    }
    throw new Failure({
      code: 'device-not-connected',
      message: `${external.name} did not connect to ${broker.address}:${broker.port} within ${external.waitSeconds} s.`,
      remedy:
        'Check that it is switched on, that its program has the address, ports, password and authority of the Devices page, and that no firewall is in between. The log of the broker says whether it tried.',
    });
  }

  /** What turns the device's clock into this machine's, by the quickest of some exchanges. Rejects with Failure. */
  async compareClocks(): Promise<ClockOffset> {
    const samples: ClockSample[] = [];
    for (let id = 0; id < clockExchanges; id += 1) {
      if (id > 0) await wait(clockGapMs);
      const t0Us = this.#clock.nowUs();
      this.say(`clock ${id}`);
      const answer = await this.#next('clock', clockTimeoutMs, (line) => line.id === id);
      if (answer === null) throw this.#silent('was asked for its clock');
      samples.push({ t0Us, t1Us: answer.atUs, t2Us: answer.atUs, t3Us: answer.heardUs });
    }
    return clockOffsetOf(samples);
  }

  /**
   * Gives the device the other end's public key of this run, if there is a payload cipher. Rejects with Failure
   * where its program has no code for that cipher.
   */
  async agreeOnKey(): Promise<void> {
    const { external, spec, payloadKey } = this.#command;
    if (spec.payloadCipher === null || payloadKey?.kind !== 'peer') return;
    this.say(writeKey(spec.payloadCipher, payloadKey.peerPublicKey));
    // A program of an earlier version ignores lines of a kind that it does not have.
    const answer = await this.#next('key', keyTimeoutMs);
    if (answer?.agreed === 1) return;
    const label = findPayloadCipherDefinition(spec.payloadCipher)?.label ?? spec.payloadCipher;
    throw new Failure({
      code: 'device-cipher',
      message: `${external.name} cannot encrypt with ${label}: its program has no code for it.`,
      remedy:
        'Give it the program of the Devices page in Python, with the package cryptography, or in C++; or choose no payload cipher.',
    });
  }

  /** Lets it send back what arrives on the topic of the run. Rejects with Failure. */
  async subscribe(): Promise<void> {
    const { qos, topic } = this.#command.spec;
    this.say(`echo ${qos} ${topic}`);
    const answer = await this.#next('echo', clockTimeoutMs);
    if (answer === null) throw this.#silent('was asked to subscribe');
  }

  /** Resolves with the line that ends a load. Rejects with Failure when it does not come. */
  async untilSent(timeoutMs: number): Promise<LineOf<'sent'>> {
    const sent = await this.#next('sent', timeoutMs);
    if (sent === null) throw this.#silent('had to report what it sent');
    return sent;
  }

  say(line: string): void {
    this.#client?.publish(this.#topics.ask, line, { qos: 1 });
  }

  /** Ends every wait. Never rejects, idempotent. */
  async close(): Promise<void> {
    this.#closed.reject(
      new Failure({
        code: 'stopped',
        message: 'The run was ended.',
        remedy: 'Retry the run when it is needed.',
      }),
    );
    await this.#client?.endAsync(true).catch(() => {});
  }

  #hear(text: string): void {
    const atUs = this.#clock.nowUs();
    const line = readDeviceLine(text);
    if (line === null) {
      this.#unreadable += 1;
      return;
    }
    this.#await?.(line, atUs);
    this.#onLine(line);
  }

  /** Returns the next line of that kind, or null after `timeoutMs`. Rejects with Failure if the run was ended. */
  async #next<Kind extends DeviceLine['kind']>(
    kind: Kind,
    timeoutMs: number,
    fits: (line: LineOf<Kind>) => boolean = () => true,
  ): Promise<(LineOf<Kind> & { heardUs: number }) | null> {
    const isIt = (line: DeviceLine): line is LineOf<Kind> => line.kind === kind;
    const heard = new Promise<LineOf<Kind> & { heardUs: number }>((resolve) => {
      this.#await = (line, heardUs) => {
        if (isIt(line) && fits(line)) resolve({ ...line, heardUs });
      };
    });
    const line = this.#unlessClosed(heard);
    return (await waitAtMost(timeoutMs, line)) ? await line : null;
  }

  #unlessClosed<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#closed.promise]);
  }

  #silent(what: string): Failure {
    return new Failure({
      code: 'device-silent',
      message: `${this.#command.external.name} ${what} and did not answer.`,
      remedy:
        'Look at its own log and its radio, give it the program of the Devices page, then retry the run.',
    });
  }
}

function noBroker(): Failure {
  return loadFailure('timeout', `The broker did not answer the agent within ${brokerTimeoutMs / 1000} s.`);
}
