import { deliveriesOf, type TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RoleFailure, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { Drained, PrepareClient } from '@mqttlab/shared/messages/agent';
import { makeLoadDriver } from '../../load-worker.ts';
import { testEntry } from '../../testing/entry.ts';
import { hrtimeUs, MonotonicClock } from '../pacing/clock.ts';
import type { LoadDriver, LoadResult } from '../worker-messages.ts';

export interface TestTrial {
  spec: TrialSpec;
  port: number;
  authority?: string | null;
  serverName?: string;
  /** Payload cipher keys, by role. */
  payloadKeys?: Readonly<Record<PrepareClient['role'], PrepareClient['payloadKey']>>;
  /** Folders by role, for client engines that need one. */
  folders?: Readonly<Record<PrepareClient['role'], string>>;
  certificate?: PrepareClient['certificate'];
  credentials?: PrepareClient['credentials'];
  /** Testbed clock minus local clock, µs. */
  offsetUs?: number;
  /** Called at the start and the end of each phase of each role. */
  onPhase?: (role: PrepareClient['role'], phase: string) => void;
}

export interface PlayedTrial {
  publisher: LoadResult;
  subscriber: LoadResult;
  sent: Drained;
  received: Drained;
  failures: RoleFailure[];
}

export function makePrepare(trial: TestTrial, role: PrepareClient['role']): PrepareClient {
  return {
    kind: 'prepare-client',
    role,
    spec: trial.spec,
    broker: { address: '127.0.0.1', port: trial.port },
    authority: trial.authority ?? null,
    serverName: trial.serverName ?? 'broker.test',
    certificate: trial.certificate ?? null,
    credentials: trial.credentials ?? null,
    payloadKey: trial.payloadKeys?.[role] ?? null,
    mirror: false,
    energySource: null,
    share: null,
    runTag: (trial.port * 40_503) >>> 0,
    clock: { offsetUs: trial.offsetUs ?? 0, uncertaintyUs: 0 },
  };
}

/** The agreed instants of a trial that starts shortly, on the testbed clock. */
export function makeStart({ spec, offsetUs = 0 }: TestTrial, leadMs = 50) {
  const warmUpAtUs = hrtimeUs() + offsetUs + leadMs * 1e3;
  const measureAtUs = warmUpAtUs + spec.warmUpMs * 1e3;
  return { kind: 'start' as const, warmUpAtUs, measureAtUs, stopAtUs: measureAtUs + spec.measureMs * 1e3 };
}

/** Runs both roles of a trial within this process, in the order in which the server commands them. */
export async function playTrial(trial: TestTrial): Promise<PlayedTrial> {
  const clock = new MonotonicClock().calibrate();
  const failures: RoleFailure[] = [];
  const make = (role: PrepareClient['role']): Promise<LoadDriver> => {
    const options = {
      command: makePrepare(trial, role),
      folder: trial.folders?.[role] ?? null,
      entry: testEntry,
      clock,
      onPhase: (phase: string) => trial.onPhase?.(role, phase),
      onFailure: (failure: RoleFailure) => void failures.push(failure),
      rehearses: false,
    };
    return makeLoadDriver(options);
  };
  const publisher = await make('publisher');
  const subscriber = await make('subscriber');
  try {
    await publisher.prepare();
    await subscriber.prepare();
    await subscriber.connect();
    await publisher.connect();
    const at = makeStart(trial);
    subscriber.start(at);
    publisher.start(at);
    const sent = await publisher.drain(null);
    const received = await subscriber.drain(sent.messages * deliveriesOf(trial.spec));
    return {
      sent,
      received,
      publisher: await publisher.finish(),
      subscriber: await subscriber.finish(),
      failures,
    };
  } finally {
    await Promise.all([publisher.finish(), subscriber.finish()]);
  }
}

export function phaseOf(result: Pick<RoleResult, 'phases'>, name: string): RoleResult['phases'][number] {
  const phase = result.phases.find(({ phase }) => phase === name);
  if (phase === undefined) throw new Error(`There is no ${name} phase`);
  return phase;
}
