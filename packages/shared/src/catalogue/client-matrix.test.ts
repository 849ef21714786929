import { expect, test } from 'vitest';
import { makeTestbedView } from '../domain/devices/testbed-view.ts';
import { rowMetricsOf, runRowOf } from '../domain/runs/run.ts';
import { parsePlan } from '../planning/parse-plan.ts';
import { makeTestbed } from '../testing/factories.ts';
import { countClientMatrix, makeClientMatrixDraft, readClientMatrix, reasonsOf } from './client-matrix.ts';

/** Neither mqtt.js nor paho-mqtt on its devices. */
const testbed = makeTestbed();
for (const { capabilities } of testbed.devices) {
  const clients = capabilities?.clients.filter(({ engine }) =>
    ['native', 'mosquitto clients'].includes(engine),
  );
  if (capabilities && clients) capabilities.clients = clients;
}
const draft = makeClientMatrixDraft(makeTestbedView(testbed));
const parsed = parsePlan(draft, testbed);
if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
const { plan } = parsed;

/** As lists of runs have it. */
function runOf(trialNumber: number, change: object) {
  const { treatmentKey } = plan.trials[trialNumber - 1]!;
  const summary = {
    id: 70 + trialNumber,
    trialNumber,
    treatmentKey,
    attempt: 1,
    status: 'done',
    failure: null,
    verdicts: [],
    metrics: { 'count.received': 10 },
    ...change,
  };
  return runRowOf(summary as never, rowMetricsOf(plan));
}

test('the plan keeps on which host and with which versions clients were tried', () => {
  expect(plan.question).toMatch(/mosquitto clients 2\.0\.11 \(OpenSSL/);
  expect(plan.question).toMatch(/broker mosquitto 2\.0/);
});

test('every combination is reported once: tried, refused with the reason, or not tried', () => {
  const failure = { code: 'tls-handshake', message: 'No suite in common.', remedy: '' };
  const mismatch = { id: 'negotiated-as-asked', status: 'failed', evidence: 'asked TLS 1.3, got TLS 1.2' };
  const runs = [
    runOf(1, {}),
    runOf(2, { status: 'failed', failure }),
    runOf(3, { metrics: { 'count.received': 0 } }),
    runOf(4, { verdicts: [mismatch] }),
    runOf(5, { status: 'cancelled' }),
    runOf(6, { status: 'failed', failure: { ...failure, code: 'start-too-late', message: 'Late.' } }),
  ];
  const cells = readClientMatrix({ plan, runs, status: 'cancelled' });
  // 4 clients, plain and 3 + 5 groups of suites, 3 MQTT versions, 2 transports.
  expect(cells).toHaveLength(4 * 9 * 3 * 2);
  expect(new Set(cells.map((cell) => JSON.stringify([...Object.values(cell).slice(0, 6)]))).size).toBe(216);
  const told = (id: number) => cells.find(({ runId }) => runId === id);
  expect(told(71)).toMatchObject({ outcome: 'works', reason: null });
  expect(told(72)).toMatchObject({ outcome: 'fails', reason: 'No suite in common.' });
  expect(told(73)).toMatchObject({ outcome: 'fails', reason: 'no message arrived' });
  expect(told(74)).toMatchObject({ outcome: 'fails', reason: 'asked TLS 1.3, got TLS 1.2' });
  expect(told(76)).toMatchObject({ outcome: 'not tried', reason: 'the run failed: Late.' });
  const left = cells.filter(({ outcome }) => outcome === 'not tried');
  expect(left).toHaveLength(plan.trials.length - 4);
  expect(left.some(({ reason }) => reason === 'the experiment ended before this combination')).toBe(true);
  const lacking = cells.filter(({ client, outcome }) => client === 'mqtt.js' && outcome === 'impossible');
  expect(lacking.map(({ reason }) => reason)).toContainEqual(expect.stringMatching(/no mqtt\.js on/));
  expect(countClientMatrix(cells)).toMatch(
    /^1 combination works, 3 fail, \d+ are impossible, \d+ are not tried$/,
  );
  const { reason, cells: of } = reasonsOf(cells).find((one) => one.reason.startsWith('no mqtt.js'))!;
  expect(of.length, reason).toBeGreaterThan(6);
});
