import type { RoleResult, StateBytes } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { makeWorkload } from '@mqttlab/shared/testing/factories';
import { Capture } from './fixtures/capture.ts';
import { cutFrames, framesOf, sumUp } from './fixtures/captured-states.ts';
import { makeQuickDraft, startExperiment, waitUntilDone } from './fixtures/experiments.ts';
import type { TestServer } from './fixtures/server.ts';
import { expect, test } from './fixtures/test.ts';

test.use({ rehearsal: 'on' });

const securities = ['plain', 'TLS 1.2', 'TLS 1.3'];
/**
 * Runs of each security. A run in which the client retransmitted a frame is not compared: the agent reports no frames
 * for such a connection. Retransmissions are rare on an idle loopback interface.
 */
const repetitions = 3;

/**
 * Captured connections of one run: the first one, then one for each state after CON. For
 * CON, the middle one. Returns null if the client retransmitted on one of them.
 */
async function readStates(capture: Capture, publisher: RoleResult): Promise<StateBytes[] | null> {
  const recorded = (state: StateBytes['state']) => publisher.states.find((entry) => entry.state === state);
  const connecting = recorded('CON')?.bytesSent ?? 0;
  const brokerPort = publisher.negotiated?.remotePort ?? 0;
  const [, ...ports] = publisher.localPorts;
  expect(ports).toHaveLength(3);
  const opened: StateBytes[] = [];
  const reached: StateBytes[] = [];
  for (const [index, state] of (['SUB', 'PUB', 'DISC'] as const).entries()) {
    const frames = await framesOf(capture, { clientPort: ports[index] ?? 0, brokerPort });
    // After SUB and PUB, the client disconnects; nothing follows DISC.
    const until = connecting + (recorded(state)?.bytesSent ?? 0);
    const [before = [], within = []] = cutFrames(
      frames,
      state === 'DISC' ? [connecting] : [connecting, until],
    );
    if ([...before, ...within].some(({ again, fromClient }) => again && fromClient)) return null;
    opened.push(sumUp('CON', before));
    reached.push(sumUp(state, within));
  }
  const payload = ({ bytesSent, bytesReceived }: StateBytes) => bytesSent + bytesReceived;
  opened.sort((a, b) => payload(a) - payload(b) || (a.frameBytes ?? 0) - (b.frameBytes ?? 0));
  return [...opened.slice(1, 2), ...reached];
}

/** Runs every security under a capture. Returns the metrics of a compared run of each. */
async function compare(server: TestServer): Promise<Map<string, RunDetail['metrics']>> {
  const compared = new Map<string, RunDetail['metrics']>();
  const capture = new Capture();
  try {
    await capture.start();
    const draft = makeQuickDraft({
      factors: {
        security: securities,
        cipherSuite: ['TLS_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
        qos: [2],
      },
      workload: makeWorkload({ kind: 'states', connections: 3, warmUpMs: 100, measureMs: 60_000 }),
      repetitions,
      response: 'state.CON.bytes',
    });
    const done = await waitUntilDone(server, await startExperiment(server, draft));
    const runs: RunDetail[] = [];
    for (const { id } of done.runs) runs.push(await server.api<RunDetail>('GET', `/runs/${id}`));
    await capture.seeEverything();
    await capture.stop();
    expect(runs).toHaveLength(securities.length * repetitions);
    for (const { treatment, failure, results, metrics } of runs) {
      expect(failure, treatment.label).toBeNull();
      const publisher = results.find(({ role }) => role === 'publisher');
      if (!publisher) throw new Error(`${treatment.label}: no publisher`);
      const captured = await readStates(capture, publisher);
      if (captured === null) continue;
      expect(captured, treatment.label).toEqual(publisher.states);
      compared.set(treatment.spec.security, metrics);
    }
  } finally {
    await capture.remove();
  }
  return compared;
}

test('the bytes to reach each state equal those of a capture', async ({ server }) => {
  const metrics = await compare(server);
  expect([...metrics.keys()].sort()).toEqual([...securities].sort());
  // TLS needs additional bytes to connect, and a record header per packet afterwards.
  const bytes = (security: string, id: string) => metrics.get(security)?.[id] ?? 0;
  expect(bytes('plain', 'state.CON.frameBytes')).toBeGreaterThan(300);
  for (const encrypted of ['TLS 1.2', 'TLS 1.3']) {
    expect(bytes(encrypted, 'state.CON.bytes')).toBeGreaterThan(5 * bytes('plain', 'state.CON.bytes'));
    expect(bytes(encrypted, 'state.PUB.bytes')).toBeGreaterThan(bytes('plain', 'state.PUB.bytes'));
  }
});
