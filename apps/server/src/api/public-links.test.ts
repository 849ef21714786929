import type { Share, SharedContent } from '@mqttlab/shared/messages/shares';
import { capturedConnection, makeCapture } from '@mqttlab/shared/testing/captures';
import { makeNegotiated } from '@mqttlab/shared/testing/factories';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTestDraft, makeTestPlan } from '../testing/experiment-factory.ts';
import { makeTestResult } from '../testing/result-factory.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
beforeEach(async () => {
  rig = await startApiRig();
});
afterEach(() => rig.stop());

async function share(body: object): Promise<Share> {
  const answer = await rig.api('/shares', { method: 'POST', body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body as Share;
}
const open = ({ token }: Share) => rig.api(`/shared/${token}`);
async function read(link: Share): Promise<SharedContent> {
  const answer = await open(link);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as SharedContent;
}

const bootId = '1b4e28ba-2fa1-11d2-883f-0016d3cca427';
const published =
  'cannot connect to 10.20.30.40:18831 or [fd12::7]:18832 from /home/alice/agent as process 31337';

/** A run with all the data that could help an attacker. */
function playTellingRun(): { id: number; runId: number } {
  const plan = makeTestPlan();
  const { id } = rig.experiments.createExperiment(makeTestDraft());
  rig.experiments.savePlan(id, plan);
  const { block, treatmentKey, number: trialNumber } = plan.trials[0]!;
  const run = rig.runs.createRun({
    experimentId: id,
    trialNumber,
    block,
    treatmentKey,
    attempt: 1,
    retryOf: null,
  });
  const { spec } = plan.treatments.find(({ key }) => key === treatmentKey)!;
  for (const role of ['broker', 'publisher', 'subscriber'] as const) {
    const result = makeTestResult(role, { spec });
    rig.runs.saveResult(run.id, `local-${role}`, {
      ...result,
      negotiated: makeNegotiated({
        localAddress: '10.20.30.41',
        localPort: 40_999,
        remoteAddress: 'fd12::8',
        remotePort: 18_833,
        mqttVersion: '5.0',
      }),
      localPorts: [40_999],
      capture: makeCapture({
        connections: [{ ...capturedConnection, clientPort: 40_999 }],
        payloadSample: '5ec2e7',
      }),
      files: [{ name: 'keys.log', bytes: 9 }],
      environment: {
        'agent.version': '0.1.0',
        'agent.pid': 31_337,
        'process.pid': 31_338,
        'device.bootId': bootId,
        'device.hostname': 'kitchen-pi',
        'device.kernel': '6.12.0-rpi',
        'link.address': '10.20.30.41',
        'broker.configuration': 'listener 18833 10.20.30.40',
        'broker.version': '2.0.11',
        'cpu.model': 'Cortex-A72',
        'broker.username': 'researcher',
        'energy.power': 'plug at http://10.20.30.50',
      },
      log: [{ at: 1, level: 'info', source: role, text: `a line of the log, ${published}` }],
      degraded: [{ collector: 'energy', reason: published }],
      tcp: {
        sentSegments: 1,
        retransmittedSegments: 0,
        networkStack: `${bootId} 4026531840`,
        connections: null,
      },
    });
    const file = { runId: run.id, deviceId: `local-${role}`, name: 'keys.log' } as const;
    rig.runFiles.saveFilePart(file, { part: 0, bytes: Buffer.from('SECRET 01'), isLast: true });
  }
  const failure = {
    code: 'broker-unreachable',
    message: published,
    remedy: 'Look at /var/log/mosquitto.log.',
  };
  const evidence = 'pid 31337 from start to end; publisher from 10.20.30.41: eth0 sent 10 B';
  rig.runs.saveRunSummary(run.id, {
    verdicts: [{ id: 'link-used', label: 'Link', status: 'passed', evidence }],
    metrics: { 'count.sent': 200 },
    bases: {},
  });
  rig.runs.updateRun(run.id, { status: 'failed', failure, notes: 'as on 10.1.1.1, see /home/me/notes' });
  rig.experiments.updateExperiment(id, { status: 'done', finishedAt: 1 });
  return { id, runId: run.id };
}

const secret =
  /10\.20\.30|fd12::|1883[123]|40999|40_999|3133[78]|1b4e28ba|kitchen-pi|researcher|\/home\/somebody|\/var\/log|line of the log|5ec2e7|keys\.log/;

describe('a link', () => {
  it('to a run shows figures, design, negotiated facts and versions, and nothing that helps an attacker', async () => {
    const { runId } = playTellingRun();
    const link = await share({ kind: 'run', runId });
    const { text } = await open(link);
    expect(text).not.toMatch(secret);
    const { content } = await read(link);
    if (content.kind !== 'run') throw new Error(content.kind);
    const { run } = content;
    expect(run.metrics).toEqual({ 'count.sent': 200 });
    expect(run.treatment.spec.qos).toBeDefined();
    expect(run.verdicts[0]?.evidence).toBe(
      'pid (not shown) from start to end; publisher from (not shown): eth0 sent 10 B',
    );
    expect(run.failure?.message).toBe(
      'cannot connect to (not shown) or (not shown) from (not shown) as process (not shown)',
    );
    const [broker] = run.results;
    expect(broker?.negotiated?.mqttVersion).toBe('5.0');
    expect(broker?.series.length).toBeGreaterThan(0);
    expect(broker?.environment).toEqual({
      'agent.version': '0.1.0',
      'device.kernel': '6.12.0-rpi',
      'broker.version': '2.0.11',
      'cpu.model': 'Cortex-A72',
      'energy.power': 'plug at (not shown)',
    });
    // Texts of its author are unchanged.
    expect(run.notes).toBe('as on 10.1.1.1, see /home/me/notes');
  });

  it('to an experiment shows no more of its runs', async () => {
    const { id } = playTellingRun();
    expect((await open(await share({ kind: 'experiment', experimentId: id }))).text).not.toMatch(secret);
  });

  it('to a run includes its packets and keys only if they were selected', async () => {
    const { runId } = playTellingRun();
    const file = { runId, deviceId: 'local-broker', name: 'capture.pcap' } as const;
    rig.runFiles.saveFilePart(file, { part: 0, bytes: Buffer.from('PACKETS'), isLast: true });
    const subject = { kind: 'run', runId } as const;
    const filesOf = async (choice: object) => {
      const link = await share({ ...subject, ...choice });
      const { content } = await read(link);
      const get = (name: string) => rig.api(`/shared/${link.token}/${name}`);
      const [packets, keys] = [await get('capture.pcap'), await get('keys.log')];
      const listed = content.kind === 'run' ? content.run.files.map(({ name }) => name) : [];
      return [listed.length, packets.status, keys.status, `${packets.text} ${keys.text}`] as const;
    };
    expect(await filesOf({})).toEqual([0, 404, 404, expect.not.stringMatching(/PACKETS|SECRET/)]);
    expect(await filesOf({ details: true })).toEqual([
      0,
      404,
      404,
      expect.not.stringMatching(/PACKETS|SECRET/),
    ]);
    expect(await filesOf({ packets: 'captures' })).toEqual([
      1,
      200,
      404,
      expect.not.stringMatching('SECRET'),
    ]);
    const all = await filesOf({ packets: 'captures and keys' });
    expect(all).toEqual([4, 200, 200, 'PACKETS SECRET 01SECRET 01SECRET 01']);
    const preview = await rig.api('/shares/preview', {
      method: 'POST',
      body: { ...subject, packets: 'captures' },
    });
    expect(preview.body).toMatchObject({
      shows: expect.arrayContaining(['1 packet capture, 7\u00a0B']),
      hides: expect.arrayContaining([expect.stringMatching(/^3 key logs/)]),
      packets: { captures: { files: 1, bytes: 7 }, keyLogs: { files: 3 } },
    });
  });

  it('with a password returns packets only after it was opened, and never for an experiment', async () => {
    const { id, runId } = playTellingRun();
    const link = await share({ kind: 'run', runId, packets: 'captures and keys', password: 'eight or more' });
    expect((await rig.api(`/shared/${link.token}/keys.log`)).status).toBe(401);
    const body = { kind: 'experiment', experimentId: id, packets: 'captures' };
    const refused = await rig.api('/shares', { method: 'POST', body });
    expect(refused).toMatchObject({ status: 422, body: { issues: [{ field: 'packets' }] } });
  });

  it('shows the rest to logged-in users, or if that was selected at its creation', async () => {
    const { runId } = playTellingRun();
    expect((await rig.api(`/runs/${runId}`)).text).toMatch(secret);
    const link = await share({ kind: 'run', runId, details: true });
    expect(link.details).toBe(true);
    const { text } = await open(link);
    for (const word of ['10.20.30.41', '40999', '31337', bootId, 'kitchen-pi', 'a line of the log'])
      expect(text).toContain(word);
  });

  it('ends with its experiment, even if frozen, and works again when that is restored', async () => {
    const { id, runs } = playExperiment(rig);
    const other = playExperiment(rig).id;
    const links = [
      await share({ kind: 'experiment', experimentId: id }),
      await share({ kind: 'run', runId: runs[0]!.id }),
      await share({ kind: 'view', view: `experiments=${id},${other}` }),
      await share({ kind: 'view', view: `runs=${runs[0]!.id}` }),
    ];
    for (const link of links) expect((await read(link)).frozenAt).not.toBeNull();
    await rig.api(`/experiments/${id}`, { method: 'DELETE' });
    for (const link of links) {
      const { status, text } = await open(link);
      expect([status, text]).toEqual([410, expect.stringContaining(`Experiment ${id} was deleted`)]);
    }
    for (const subject of [
      { kind: 'run', runId: runs[0]!.id },
      { kind: 'view', view: `runs=${runs[0]!.id}` },
    ])
      expect((await rig.api('/shares', { method: 'POST', body: subject })).status).toBe(410);
    expect((await rig.api(`/experiments/${id}/actions/restore`, { method: 'POST' })).status).toBe(200);
    for (const link of links) await read(link);
  });

  it('to a study run continues without the part whose experiment was deleted', async () => {
    const [one, two] = [playExperiment(rig).id, playExperiment(rig).id];
    const part = { title: 'states', question: 'How many bytes?', leftOut: [] };
    const { id: studyRunId } = rig.studies.createStudyRun({
      studyId: 'stability-aware',
      title: 'Stability',
      testbedId: 'local',
      scale: 'smoke',
      own: null,
      parts: [
        { ...part, id: 'a', experimentId: one },
        { ...part, id: 'b', experimentId: two },
      ],
    });
    const link = await share({ kind: 'study', studyRunId });
    const partsOf = async () => {
      const { content } = await read(link);
      return content.kind === 'study' ? content.results.map(({ partId }) => partId) : [];
    };
    expect(await partsOf()).toEqual(['a', 'b']);
    rig.experiments.updateExperiment(one, { deletedAt: 1 });
    expect(await partsOf()).toEqual(['b']);
    rig.experiments.updateExperiment(two, { deletedAt: 1 });
    expect((await open(link)).status).toBe(410);
  });
});
