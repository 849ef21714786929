import type { RoleResult, StateBytes } from '@mqttlab/shared/domain/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/run';
import { makeWorkload } from '@mqttlab/shared/testing/factories';
import { Capture } from './fixtures/capture.ts';
import { cutFrames, framesOf, sumUp } from './fixtures/captured-states.ts';
import { makeQuickDraft, startExperiment, waitUntilDone } from './fixtures/experiments.ts';
import { expect, test } from './fixtures/test.ts';

const securities = ['plain', 'TLS 1.2', 'TLS 1.3'];

/** What the capture says of the connections of one Run: the first is kept, then one for each state behind CON. */
async function readStates(capture: Capture, publisher: RoleResult): Promise<StateBytes[]> {
  const recorded = (state: StateBytes['state']) => publisher.states.find((entry) => entry.state === state);
  const connecting = recorded('CON')?.bytesSent ?? 0;
  const brokerPort = publisher.negotiated?.remotePort ?? 0;
  const [, ...ports] = publisher.localPorts;
  expect(ports).toHaveLength(3);
  const all: StateBytes[] = [];
  for (const [index, state] of (['SUB', 'PUB', 'DISC'] as const).entries()) {
    const frames = await framesOf(capture, ports[index] ?? 0, brokerPort);
    // Behind SUB and PUB comes the client's good-bye; behind DISC there is nothing more.
    const until = connecting + (recorded(state)?.bytesSent ?? 0);
    const [before = [], within = []] = cutFrames(
      frames,
      state === 'DISC' ? [connecting] : [connecting, until],
    );
    all.push(sumUp('CON', before), sumUp(state, within));
  }
  const opened = all.filter(({ state }) => state === 'CON').sort((a, b) => payloadOf(a) - payloadOf(b));
  const middle = opened.filter((entry) => payloadOf(entry) === payloadOf(opened[1] ?? entry));
  // Of connections with the same payload any may be the one that was recorded.
  const same = middle.find(({ frames }) => frames === recorded('CON')?.frames) ?? middle[0];
  return [...(same ? [same] : []), ...all.filter(({ state }) => state !== 'CON')];
}

function payloadOf({ bytesSent, bytesReceived }: StateBytes): number {
  return bytesSent + bytesReceived;
}

test('the bytes to reach each state are those of a capture, to the byte', async ({ server }) => {
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
      response: 'state.CON.bytes',
    });
    const done = await waitUntilDone(server, await startExperiment(server, draft));
    const runs: RunDetail[] = [];
    for (const { id } of done.runs) runs.push(await server.api<RunDetail>('GET', `/runs/${id}`));
    await capture.stop();

    expect(runs.map(({ treatment }) => treatment.spec.security).sort()).toEqual([...securities].sort());
    for (const run of runs) {
      const where = run.treatment.label;
      expect(run.failure, where).toBeNull();
      const publisher = run.results.find(({ role }) => role === 'publisher');
      if (!publisher) throw new Error(`${where}: no publisher`);
      expect(
        publisher.states.map(({ state }) => state),
        where,
      ).toEqual(['CON', 'SUB', 'PUB', 'DISC']);
      expect(await readStates(capture, publisher), where).toEqual(publisher.states);
    }
    // TLS costs bytes to connect, and a record header for each packet afterwards.
    const bytes = (security: string, metric: string) =>
      runs.find(({ treatment }) => treatment.spec.security === security)?.metrics[metric] ?? 0;
    for (const encrypted of ['TLS 1.2', 'TLS 1.3']) {
      expect(bytes(encrypted, 'state.CON.bytes')).toBeGreaterThan(5 * bytes('plain', 'state.CON.bytes'));
      expect(bytes(encrypted, 'state.PUB.bytes')).toBeGreaterThan(bytes('plain', 'state.PUB.bytes'));
    }
  } finally {
    await capture.remove();
  }
});
