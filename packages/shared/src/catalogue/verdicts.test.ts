import { describe, expect, it } from 'vitest';
import type { TrialSpec } from '../domain/plans/trial-spec.ts';
import type { RunEvidence } from '../domain/runs/verdict.ts';
import { verdictSchema } from '../domain/runs/verdict.ts';
import { changeRole, makeEvidence, makeSeries } from '../testing/evidence.ts';
import { makeCounters, makeNegotiated, makeRoleResult, makeTrialSpec } from '../testing/factories.ts';
import {
  constant,
  failing,
  onLink,
  onTwoMachines,
  withBrokerProcess,
  withSeries,
} from '../testing/failing-runs.ts';
import { flagName } from './flags.ts';
import { judgeRun, verdicts } from './verdicts.ts';

const verdictOf = (evidence: RunEvidence, id: string) =>
  judgeRun(evidence).find((verdict) => verdict.id === id);

describe.each(verdicts)('verdict $id', ({ id, label, fault }) => {
  it('names the flag after the fault, not after the check', () => {
    expect(flagName({ id, label: 'as stored' })).toBe(fault);
    expect(fault).not.toBe(label);
  });

  it('passes a valid run, with figures as evidence where it applies', () => {
    const onlyWhereAsked = [
      'payloads-authentic',
      'impairment-applied',
      'little-lost',
      'goodput-within-limit',
      'capture-agrees',
      'aes-as-asked',
      'radio-steady',
      'identifiers-free',
    ];
    const notAsked = failing[id] === null || onlyWhereAsked.includes(id);
    const status = notAsked ? 'not applicable' : 'passed';
    expect(verdictOf(makeEvidence(), id)).toMatchObject({
      status,
      evidence: expect.stringMatching(notAsked ? /\w+ \w+/ : /\d/),
      label,
    });
  });

  it('fails when it should, and says why', () => {
    expect(failing).toHaveProperty(id);
    for (const evidence of failing[id] ?? []) {
      expect(verdictOf(evidence, id)).toMatchObject({
        status: 'failed',
        evidence: expect.stringMatching(/\w/),
      });
    }
  });

  it('gives a verdict, never an exception, on a run without any evidence', () => {
    const bare = { spec: makeTrialSpec(), results: [makeRoleResult()] };
    for (const evidence of [{ ...bare, results: [] }, bare]) {
      expect(verdictSchema.safeParse(verdictOf(evidence, id)).success).toBe(true);
    }
  });
});

describe('verdicts', () => {
  it('name the time that the host of a virtual machine withheld from a late generator, and only that', () => {
    const evidenceWith = (stolen: number[]) =>
      verdictOf(withSeries('broker', 'cpu.stolen', stolen), 'kept-schedule')?.evidence;
    expect(evidenceWith([4, 2, 3])).toMatch(
      /; the host of this virtual machine withheld 3\.0 % of its CPU time$/,
    );
    expect(evidenceWith([0, 0, 0])).not.toContain('virtual machine');
  });

  it('have unique ids', () => {
    expect(Object.keys(failing).sort()).toEqual(verdicts.map(({ id }) => id).sort());
  });

  it('judge payloads authentic only if they have a tag', () => {
    const statusWith = (payloadCipher: string) =>
      verdictOf({ ...makeEvidence(), spec: makeTrialSpec({ payloadCipher }) }, 'payloads-authentic');
    expect(statusWith('aes-256-gcm')).toMatchObject({
      status: 'passed',
      evidence: expect.stringContaining('1000'),
    });
    expect(statusWith('ecdh-p256-aes-128-cbc-as-published')).toMatchObject({
      status: 'not applicable',
      evidence: expect.stringContaining('cannot detect'),
    });
  });

  it('expect every subscriber to reject altered messages, and a bridge once', () => {
    const refusing = (unauthentic: number, topology: 'direct' | 're-encrypting bridge') => {
      const spec = makeTrialSpec({ payloadCipher: 'aes-256-gcm', alterEvery: 2, subscribers: 2, topology });
      const sent = changeRole(makeEvidence(), 'publisher', {
        counters: makeCounters({ sent: 1000, altered: 500 }),
      });
      const counters = makeCounters({ received: 1000, unauthentic });
      return verdictOf({ ...changeRole(sent, 'subscriber', { counters }), spec }, 'payloads-authentic')
        ?.status;
    };
    expect(refusing(1000, 'direct')).toBe('passed');
    expect(refusing(500, 'direct')).toBe('failed');
    expect(refusing(500, 're-encrypting bridge')).toBe('passed');
    expect(refusing(499, 're-encrypting bridge')).toBe('failed');
  });

  it('blame a cipher without a tag for no more refusals than messages were altered on purpose', () => {
    const refusing = (malformed: number) => {
      const payloadCipher = 'ecdh-p256-aes-128-cbc-as-published';
      const spec = makeTrialSpec({ payloadCipher, alterEvery: 10, subscribers: 2 });
      const sent = changeRole(makeEvidence(), 'publisher', {
        counters: makeCounters({ sent: 1000, altered: 100 }),
      });
      const counters = makeCounters({ received: 2000 - malformed, malformed });
      return verdictOf({ ...changeRole(sent, 'subscriber', { counters }), spec }, 'payloads-authentic')
        ?.status;
    };
    // Some altered messages have wrong padding; the others are accepted.
    expect(refusing(18)).toBe('not applicable');
    expect(refusing(200)).toBe('not applicable');
    expect(refusing(201)).toBe('failed');
  });

  it('take a link as used by counters, by the address and by what the broker saw', () => {
    expect(verdictOf(onLink({}), 'link-used')).toMatchObject({
      status: 'passed',
      evidence: expect.stringContaining('eth0 sent 160000 B for 150000 B'),
    });
    const facts = { 'link.interface': 'eth0', 'link.address': '10.83.0.1' };
    for (const remoteAddress of ['10.83.0.1', '127.0.0.1']) {
      const negotiated = makeNegotiated({ localAddress: '10.83.0.1', remoteAddress });
      const oneMachine = {
        ...makeEvidence(),
        results: makeEvidence().results.map((result) => ({
          ...result,
          negotiated,
          environment: { ...result.environment, ...facts },
        })),
      };
      expect(verdictOf(oneMachine, 'link-used'), remoteAddress).toMatchObject({
        status: 'not applicable',
        evidence: expect.stringContaining('on the same machine'),
      });
    }
  });

  it('say nothing of the link of clients whose address was not recorded', () => {
    const onEth = onLink({});
    const negotiated = makeNegotiated({ localAddress: '', remoteAddress: '10.83.0.1' });
    const { environment = {} } = onEth.results.find(({ role }) => role === 'publisher') ?? {};
    const results = onEth.results.map((result) =>
      result.role === 'broker' ? result : { ...result, negotiated, environment },
    );
    expect(verdictOf({ ...onEth, results }, 'link-used')).toMatchObject({
      status: 'not applicable',
      evidence: expect.stringContaining('the address of its socket is unknown'),
    });
  });

  it('do not ask QoS 0 to lose nothing', () => {
    const evidence = { ...makeEvidence(), spec: makeTrialSpec({ qos: 0 }) };
    expect(verdictOf(evidence, 'nothing-lost')?.status).toBe('not applicable');
  });

  it('say that an external broker whose process is not known cannot be judged', () => {
    const unknown = { 'process.pid': null, 'process.startTicks': null };
    const evidence = withBrokerProcess(unknown, { broker: 'external' });
    expect(verdictOf(evidence, 'broker-stayed-up')?.status).toBe('not applicable');
    const restarted = withBrokerProcess({ 'process.pidAtEnd': 4712 }, { broker: 'external' });
    expect(verdictOf(restarted, 'broker-stayed-up')?.status).toBe('failed');
  });

  it('take a clock that is good enough, with drift and both uncertainties counted', () => {
    expect(verdictOf(onTwoMachines(90), 'clock-good-enough')).toMatchObject({
      status: 'passed',
      evidence: expect.stringContaining('±0.090 ms'),
    });
    expect(verdictOf(onTwoMachines(90, 111), 'clock-good-enough')?.status).toBe('failed');
    expect(verdictOf(onTwoMachines(90, -109), 'clock-good-enough')?.status).toBe('passed');
  });

  it.each([0, 50])(
    'ask every device for idleness, that of the server too (clock known to %i µs)',
    (boundUs) => {
      const clock = { before: { offsetUs: 0, uncertaintyUs: boundUs }, after: null };
      const beside = (foreign: number): RunEvidence => ({
        ...makeEvidence(),
        results: onTwoMachines(1)
          .results.filter(({ role }) => role === 'publisher')
          .map((result) => ({
            ...result,
            clock,
            series: [...result.series.slice(0, 1), makeSeries('cpu.device', Array(10).fill(foreign))],
          })),
      });
      expect(verdictOf(beside(15), 'device-idle')?.status).toBe('passed');
      expect(verdictOf(beside(15), 'device-idle')?.evidence).toContain('lengthen P95');
      expect(verdictOf(beside(30), 'device-idle')?.status).toBe('failed');
    },
  );

  it.each([
    ['other programs', 90, 'failed'],
    ['our own load', 20, 'passed'],
  ])(
    'judge a run shorter than a sampling interval by the sample that covers it, busy with %s',
    (_, busy, status) => {
      const evidence = makeEvidence();
      const short: RunEvidence = {
        ...evidence,
        spec: { ...evidence.spec, messages: 100 },
        results: evidence.results.map((result) => ({
          ...result,
          phases: result.phases.map((phase) =>
            phase.phase === 'measure' ? { ...phase, durationUs: 15_000, cpuUs: 15_000 } : phase,
          ),
          // The clients end before their first sample; the broker is sampled until it is stopped.
          series:
            result.role === 'broker'
              ? ['cpu.device', 'cpu.process', 'cpu.agent'].map((metric) => ({
                  metric,
                  unit: '%',
                  timesMs: [102, 205],
                  values: metric === 'cpu.device' ? [busy, busy] : [5, 5],
                }))
              : [],
        })),
      };
      expect(verdictOf(short, 'device-idle')?.status).toBe(status);
    },
  );

  it('judge a short run by the samples at the end of its load, and allow the resolution of /proc/stat', () => {
    const shortRun = (busy: number) => {
      const evidence = makeEvidence();
      const sampledAt = { publisher: 46, subscriber: 50, broker: 48 } as Record<string, number>;
      return verdictOf(
        {
          ...evidence,
          spec: { ...evidence.spec, messages: 100 },
          results: evidence.results.map((result) => ({
            ...result,
            environment: { ...result.environment, 'device.bootId': 'one', 'cpu.cores': 2 },
            phases: result.phases.map((phase) =>
              phase.phase === 'measure' ? { ...phase, durationUs: 40_000 } : phase,
            ),
            // After 100 ms the server has stored the results: mqttlab itself was busy.
            series: ['cpu.device', 'cpu.process', 'cpu.agent'].map((metric) => ({
              metric,
              unit: '%',
              timesMs: [sampledAt[result.role] ?? 46, 100],
              values: metric === 'cpu.device' ? [busy, 100] : [10, 10],
            })),
          })),
        },
        'device-idle',
      );
    };
    expect(shortRun(60)).toMatchObject({ status: 'passed' });
    // 20 ms of 2 times 46 ms are 22 % of all cores.
    expect(shortRun(60)?.evidence).toContain('plus 22 %');
    expect(shortRun(68)?.status).toBe('passed');
    expect(shortRun(80)?.status).toBe('failed');
  });

  it('do not take helpers of the agent for other programs', () => {
    const busy = withSeries('broker', 'cpu.device', Array(10).fill(300));
    expect(verdictOf(busy, 'device-idle')?.status).toBe('failed');
    const broker = busy.results.find(({ role }) => role === 'broker');
    const helpers = makeSeries('cpu.helpers', Array(10).fill(400));
    const explained = changeRole(busy, 'broker', { series: [...(broker?.series ?? []), helpers] });
    expect(verdictOf(explained, 'device-idle')?.status).toBe('passed');
  });

  it('judge a device whose external broker is not named by the processes that are known', () => {
    const withDevice = (percent: number, change: Partial<TrialSpec> = { broker: 'external' }) => {
      const evidence = { ...makeEvidence(), spec: makeTrialSpec(change) };
      const broker = evidence.results.find(({ role }) => role === 'broker');
      return changeRole(evidence, 'broker', {
        environment: { ...broker?.environment, 'process.pid': null, 'process.startTicks': null },
        series: [makeSeries('cpu.device', Array(10).fill(percent))],
      });
    };
    expect(verdictOf(withDevice(300), 'device-idle')).toMatchObject({
      status: 'failed',
      evidence: expect.stringContaining('broker process is unknown'),
    });
    expect(verdictOf(withDevice(15), 'device-idle')?.status).toBe('passed');
    // The process of a broker started by mqttlab is always known; without it, CPU cannot be attributed.
    expect(verdictOf(withDevice(300, {}), 'device-idle')?.status).toBe('not applicable');
  });

  it('do not take a step late in the run, or a small one, for a short warm-up', () => {
    const level = (values: number[]) =>
      verdictOf(withSeries('broker', 'cpu.process', values), 'warm-up-long-enough')?.status;
    expect(level([20, 20.5, 21, 20, 20.2, 20.4, 20, 40, 41, 40])).toBe('passed');
    expect(level([9, 8.8, 9.1, 2, 2.1, 2, 2.2, 2, 2.1, 2])).toBe('passed');
    expect(level([25, 25.1, 24.9, 20, 20.5, 21, 20, 20.2, 20.4, 20])).toBe('passed');
  });

  it('name the stamp where a payload is too small to hold it', () => {
    const spec = makeTrialSpec({ readingBytes: 8 });
    const evidence = changeRole({ ...makeEvidence(), spec }, 'subscriber', { latency: null });
    expect(verdictOf(evidence, 'enough-messages')).toMatchObject({
      status: 'failed',
      evidence: expect.stringContaining('a payload of 8 B has no room for the time stamp of 20 B'),
    });
  });

  it('count connections where there are no messages', () => {
    const spec = makeTrialSpec({ workload: 'handshake' });
    const evidence = changeRole({ ...makeEvidence(), spec }, 'publisher', {
      histograms: { 'phase.set-up': constant(900, 30) },
    });
    expect(verdictOf(evidence, 'enough-messages')).toMatchObject({
      status: 'passed',
      evidence: expect.stringContaining('30 connections'),
    });
  });
});

describe('the evidence of a run on many devices', () => {
  it('fits what is stored: what does not is counted', () => {
    const evidence = makeEvidence();
    const [publisher] = evidence.results.filter(({ role }) => role === 'publisher');
    if (publisher === undefined) throw new Error('no publisher');
    const many = Array.from({ length: 400 }, () => publisher);
    const judged = judgeRun({ ...evidence, results: [...evidence.results, ...many] });
    for (const verdict of judged) expect(verdictSchema.safeParse(verdict).error).toBeUndefined();
    expect(judged.some(({ evidence }) => /; and \d+ more$/.test(evidence))).toBe(true);
  });
});
