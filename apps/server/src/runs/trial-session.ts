import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { endsEarly } from '@mqttlab/shared/catalogue/workloads';
import type { Role } from '@mqttlab/shared/domain/device';
import { deliveriesOf, type TrialSpec } from '@mqttlab/shared/domain/trial-spec';
import {
  type AgentCommand,
  type BrokerReady,
  brokerReadySchema,
  type Connected,
  connectedSchema,
  type Drained,
  drainedSchema,
} from '@mqttlab/shared/protocol/agent';
import type * as z from 'zod';
import type { Certificates } from '../pki/certificates.ts';
import type { BrokerStore } from '../store/broker-store.ts';
import { AgentError, type AgentLink, type Agents, type RunListener } from '../testbed/agent-link.ts';
import { monotonicUs } from '../testbed/clock-offset.ts';
import type { RoleDevices } from '../testbed/testbeds.ts';
import { findBrokerAccess } from './broker-access.ts';
import { makePayloadKeys } from './payload-keys.ts';
import { issueRunCertificates } from './run-certificates.ts';
import { needsMirror, type RoleClocks, RunClocks } from './run-clocks.ts';
import { RunError } from './to-failure.ts';

export interface SessionDependencies {
  agents: Pick<Agents, 'find' | 'listen'>;
  certificates: Certificates;
  externalBrokers: Pick<BrokerStore, 'find' | 'credentials'>;
  /** Of the server's own kernel. */
  bootId: string;
}

export interface SessionRequest {
  runId: number;
  testbedId: string;
  spec: TrialSpec;
  roles: RoleDevices;
  /** Ends the session at once; its reason is thrown. */
  signal: AbortSignal;
  listener: Omit<RunListener, 'onTrouble'>;
  onClocks?: (clocks: RoleClocks) => void;
}

/** ms until an answer counts as missing; what the load itself takes comes on top. */
const timeouts = {
  prepare: 20_000,
  connect: 60_000,
  start: 5_000,
  drain: 10_000,
  teardown: 20_000,
  abort: 8_000,
} as const;
/** From now to the first instant: the least, and in round trips to the slowest device, for a busy machine. */
const leadMs = 60;
const leadRoundTrips = 6;

const clients = ['publisher', 'subscriber'] as const;

/** One Run (or one probe) on the three devices of a testbed, step by step; the first trouble ends every step. */
export class TrialSession {
  readonly #dependencies: SessionDependencies;
  readonly #request: SessionRequest;
  readonly #links: Readonly<Record<Role, AgentLink>>;
  readonly #broken: Promise<never>;
  readonly #stopListening: () => void;
  readonly #closed = new AbortController();
  /** Asked for with the start already where the load may be over before its time. */
  #sent: Promise<Drained> | null = null;
  readonly #clocks: RunClocks;

  /** Throws AgentError 'agent-offline'. */
  constructor(dependencies: SessionDependencies, request: SessionRequest) {
    this.#dependencies = dependencies;
    this.#request = request;
    this.#links = {
      broker: this.#findLink('broker'),
      publisher: this.#findLink('publisher'),
      subscriber: this.#findLink('subscriber'),
    };
    const { bootId } = dependencies;
    this.#clocks = new RunClocks({ links: this.#links, bootId, onCompared: request.onClocks });
    const trouble = Promise.withResolvers<never>();
    this.#broken = trouble.promise;
    this.#broken.catch(() => {});
    const { signal } = request;
    const cancel = (): void => trouble.reject(signal.reason);
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel();
    const devices = new Set(Object.values(request.roles).map(({ deviceId }) => deviceId));
    const endListening = dependencies.agents.listen(request.runId, {
      ...request.listener,
      onTrouble(deviceId, failure) {
        if (devices.has(deviceId)) trouble.reject(new AgentError(failure));
      },
    });
    this.#stopListening = () => {
      endListening();
      signal.removeEventListener('abort', cancel);
    };
  }

  /** Starts the broker, then both clients at once. */
  async prepare(): Promise<BrokerReady> {
    const { spec, testbedId } = this.#request;
    const { broker } = this.#links;
    const access = await findBrokerAccess(this.#dependencies, { testbedId, spec });
    const addresses = broker.capabilities.interfaces.map(({ address }) => address);
    const [issued, clocks] = await this.#unlessBroken(
      Promise.all([
        issueRunCertificates(this.#dependencies.certificates, { testbedId, spec, addresses }),
        this.#clocks.compareBefore(),
      ]),
    );
    const prepareBroker: AgentCommand = {
      kind: 'prepare-broker',
      spec: this.#specFor('broker'),
      tls: issued.broker,
      external: access.external,
      energySource: null,
      clock: clocks.broker,
    };
    const ready = await this.#ask('broker', prepareBroker, {
      schema: brokerReadySchema,
      timeoutMs: timeouts.prepare,
    });
    const runTag = randomInt(2 ** 32);
    const { address, port } = ready;
    const mirror = needsMirror(this.#links);
    const payloadKeys = makePayloadKeys(spec);
    const prepareClient = (role: (typeof clients)[number]): AgentCommand => ({
      kind: 'prepare-client',
      role,
      spec: this.#specFor(role),
      broker: { address, port },
      authority: issued.authority ?? access.authority,
      serverName: access.serverName,
      certificate: issued.client,
      credentials: access.credentials,
      payloadKey: payloadKeys[role],
      energySource: null,
      runTag,
      mirror: mirror && role === 'publisher',
      clock: clocks[role],
    });
    await this.#unlessBroken(
      Promise.all(clients.map((role) => this.#command(role, prepareClient(role), timeouts.prepare))),
    );
    return ready;
  }

  /** Opens every connection: the subscriber first, so that no message comes too early. */
  async connect(): Promise<Record<(typeof clients)[number], Connected>> {
    const options = { schema: connectedSchema, timeoutMs: timeouts.connect };
    const subscriber = await this.#ask('subscriber', { kind: 'connect' }, options);
    const publisher = await this.#ask('publisher', { kind: 'connect' }, options);
    return { publisher, subscriber };
  }

  /** Warm-up and measure phase; returns when sending ends. `onMeasureAt` gets the instant in Unix ms. */
  async load(onMeasureAt: (unixMs: number) => void): Promise<void> {
    const { warmUpMs, measureMs } = this.#request.spec;
    const roundTripUs = await this.#unlessBroken(this.#slowestRoundTripUs());
    const warmUpAtUs = Math.ceil(monotonicUs() + leadMs * 1000 + leadRoundTrips * roundTripUs);
    const measureAtUs = warmUpAtUs + warmUpMs * 1000;
    const stopAtUs = measureAtUs + measureMs * 1000;
    onMeasureAt(Math.round(Date.now() + (measureAtUs - monotonicUs()) / 1000));
    const start: AgentCommand = { kind: 'start', warmUpAtUs, measureAtUs, stopAtUs };
    const roles = ['broker', 'subscriber', 'publisher'] as const;
    await this.#unlessBroken(Promise.all(roles.map((role) => this.#command(role, start, timeouts.start))));
    if (monotonicUs() > measureAtUs) throw new RunError(startedLate);
    const timeUp = until(stopAtUs, this.#closed.signal);
    if (endsEarly(this.#request.spec)) this.#sent = this.#drainPublisher(warmUpMs + measureMs);
    await this.#unlessBroken(Promise.race([timeUp, this.#sent ?? timeUp]));
  }

  /** Waits for everything under way: first what the publisher sent, then its arrival at the subscriber. */
  async drain(): Promise<void> {
    const { spec } = this.#request;
    const options = { schema: drainedSchema, timeoutMs: spec.drainTimeoutMs + timeouts.drain };
    const sent = await (this.#sent ?? this.#drainPublisher(0));
    const expected = sent.messages * deliveriesOf(spec);
    await Promise.all([
      this.#ask('subscriber', { kind: 'drain', expected }, options),
      this.#ask('broker', { kind: 'drain', expected: null }, options),
    ]);
    await this.#unlessBroken(this.#clocks.compareAfter());
  }

  /** Clients first: their good-bye is measured and needs a living broker. */
  async teardown(): Promise<void> {
    const teardown: AgentCommand = { kind: 'teardown' };
    await this.#unlessBroken(
      Promise.all(clients.map((role) => this.#command(role, teardown, timeouts.teardown))),
    );
    await this.#unlessBroken(this.#command('broker', teardown, timeouts.teardown));
  }

  /**
   * Ends everything on every device that answers; never rejects. False when one did not. Clients first, so that
   * none takes the end of its broker for a failure of its own.
   */
  async abort(reason: string): Promise<boolean> {
    const end = (roles: readonly Role[]) =>
      Promise.allSettled(roles.map((role) => abortRun(this.#links[role], this.#request.runId, reason)));
    const answers = [...(await end(clients)), ...(await end(['broker']))];
    return answers.every(({ status }) => status === 'fulfilled');
  }

  /** Hears nothing any more. Idempotent. */
  close(): void {
    this.#stopListening();
    this.#closed.abort();
  }

  /** A named link is another interface on each device. */
  #specFor(role: Role): TrialSpec {
    const { spec, roles } = this.#request;
    return { ...spec, link: roles[role].interfaces?.[spec.link] ?? spec.link };
  }

  #findLink(role: Role): AgentLink {
    const { deviceId, name } = this.#request.roles[role];
    const link = this.#dependencies.agents.find(deviceId);
    if (link === null) {
      throw new AgentError({
        code: 'agent-offline',
        message: `${name} is offline.`,
        remedy: 'Check that the device is on and its agent runs, then retry the run.',
      });
    }
    return link;
  }

  /** Settles when the publisher is done; `loadMs` of its load may still be ahead. */
  #drainPublisher(loadMs: number): Promise<Drained> {
    const timeoutMs = loadMs + this.#request.spec.drainTimeoutMs + timeouts.drain;
    const drained = this.#ask(
      'publisher',
      { kind: 'drain', expected: null },
      { schema: drainedSchema, timeoutMs },
    );
    drained.catch(() => {});
    return drained;
  }

  async #slowestRoundTripUs(): Promise<number> {
    const samples = await Promise.all(Object.values(this.#links).map((link) => link.exchangeClock()));
    return Math.max(...samples.map(({ t0Us, t3Us }) => t3Us - t0Us));
  }

  #command(role: Role, command: AgentCommand, timeoutMs: number): Promise<unknown> {
    return this.#links[role].command({ runId: this.#request.runId, command, timeoutMs });
  }

  async #ask<T>(
    role: Role,
    command: AgentCommand,
    { schema, timeoutMs }: { schema: z.ZodType<T>; timeoutMs: number },
  ): Promise<T> {
    const data = await this.#unlessBroken(this.#command(role, command, timeoutMs));
    const parsed = schema.safeParse(data);
    if (parsed.success) return parsed.data;
    throw new AgentError({
      code: 'agent-answer',
      message: `${this.#request.roles[role].name} gave an answer to "${command.kind}" that cannot be read.`,
      remedy: 'Install the agent that belongs to this server.',
    });
  }

  #unlessBroken<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#broken]);
  }
}

/** Rejects with AgentError. A device that has nothing of that Run answers as well. */
export function abortRun(link: AgentLink, runId: number, reason: string): Promise<unknown> {
  return link.command({ runId, command: { kind: 'abort', reason }, timeoutMs: timeouts.abort });
}

const startedLate = {
  code: 'start-late',
  message: 'The devices took so long to answer that the measure phase had begun before all were ready.',
  remedy: 'Check the load of the devices and the network to them, or choose a longer warm-up.',
};

/** Resolves at an instant of the testbed clock, µs; rejects when `signal` aborts. */
async function until(atUs: number, signal: AbortSignal): Promise<void> {
  await wait(Math.max(0, Math.ceil((atUs - monotonicUs()) / 1000)), undefined, { signal });
}
