import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ComparedSeries, Comparison } from '@mqttlab/shared/domain/runs/comparison';
import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTestDraft } from '../testing/experiment-factory.ts';
import { makeTestResult } from '../testing/result-factory.ts';
import { type Played, playExperiment } from '../testing/stores-factory.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
let played: Played;
beforeEach(async () => {
  rig = await startApiRig();
  played = playExperiment(rig, { name: 'Grün, "quoted"' }, (treatment) => ({
    latencyMs: 1 + treatment,
    environment: {
      'broker.version': '2.0.11',
      'cpu.model': 'Cortex-A72',
      'device.kernel': '6.1',
      'device.hostname': 'pi-1',
    },
  }));
});
afterEach(() => rig.stop());

function parseCsv(text: string): string[][] {
  return text
    .trimEnd()
    .split('\r\n')
    .map((line) => [...line.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map((match) => match[1] ?? ''));
}

interface Dashboard {
  templating: { list: { query: string | { query: string } }[] };
  panels: { targets: { expr: string }[] }[];
}

/** The metrics that a dashboard of Grafana queries. */
function metricsOf({ templating, panels }: Dashboard): string[] {
  const queries = templating.list.map(({ query }) => (typeof query === 'string' ? query : query.query));
  const drawn = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  return [...queries, ...drawn].flatMap((query) => query.match(/\b(?:mqttlab|process)_[a-z_]+\b/g) ?? []);
}

describe('reading over HTTP', () => {
  it('returns a run with its results', async () => {
    const { status, body } = await rig.api(`/runs/${played.runs[0]!.id}`);
    expect(status).toBe(200);
    const run = body as RunDetail;
    expect(run.results.map(({ role }) => role)).toEqual(['broker', 'publisher', 'subscriber']);
    expect(run.treatment.key).toBe(run.treatmentKey);
  });

  it('saves runs as CSV with levels, units and one line for each', async () => {
    const { headers, text } = await rig.api(`/experiments/${played.id}/runs.csv`);
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="E-${played.id}-runs-gru-n-quoted.csv"`,
    );
    const [header = [], ...rows] = parseCsv(text);
    expect(rows).toHaveLength(6);
    expect(header).toEqual(
      expect.arrayContaining(['run', 'security', 'latency.p50 [ms]', 'memory.broker.mean [MB]']),
    );
    const column = (name: string) => rows.map((row) => row[header.indexOf(name)]);
    expect(new Set(column('security'))).toEqual(new Set(['plain', 'TLS 1.3']));
    expect(column('latency.p50 [ms]').map(Number)).toEqual(
      played.runs.map((run) => run.metrics['latency.p50']),
    );
    for (const name of ['broker_version', 'cpu_model', 'kernel', 'hostname', 'started_at']) {
      expect(header).toContain(name);
    }
    const values = parseCsv((await rig.api(`/experiments/${played.id}/values.csv`)).text);
    expect(values[0]?.slice(-6)).toEqual([
      ...['broker_version', 'cpu_model', 'kernel', 'hostname', 'started_at'],
      'foreign',
    ]);
    expect(values[1]?.slice(-6)).toEqual([
      ...['2.0.11', 'Cortex-A72', '6.1', 'pi-1', '1970-01-01T00:00:01.001Z'],
      '',
    ]);
    const cell = (row: readonly string[], name: string) => row[values[0]?.indexOf(name) ?? -1];
    const latency = values.find((row) => cell(row, 'metric') === 'latency.p50') ?? [];
    const step = Math.max(0.001, 0.001 * Number(cell(latency, 'value')));
    expect(Number(cell(latency, 'resolution'))).toBeCloseTo(step, 12);
    const all = JSON.parse((await rig.api(`/experiments/${played.id}/runs.json`)).text);
    expect(all.runs[0].environment).toMatchObject({ cpu_model: 'Cortex-A72', hostname: 'pi-1' });
    expect(all.runs).toHaveLength(6);
    expect(all.plan.treatments).toHaveLength(3);
  });

  it('exports the facts of several devices, and omits facts that none reported', async () => {
    const facts = {
      publisher: { 'cpu.model': 'Cortex-A76', 'device.hostname': 'pi-2', 'device.kernel': null },
      subscriber: { 'cpu.model': 'Cortex-A72', 'device.hostname': 'pi-1', 'device.kernel': '' },
    };
    const { id, plan, runs } = playExperiment(rig, { factors: { qos: [0] }, repetitions: 1 }, () => null);
    for (const [role, environment] of Object.entries(facts)) {
      const result = makeTestResult(role as keyof typeof facts, { spec: plan.treatments[0]!.spec });
      rig.runs.saveResult(runs[0]!.id, `local-${role}`, { ...result, environment });
    }
    const { environment } = JSON.parse((await rig.api(`/experiments/${id}/runs.json`)).text).runs[0];
    expect(environment).toEqual({
      broker_version: null,
      cpu_model: 'Cortex-A72; Cortex-A76',
      kernel: null,
      hostname: 'pi-1; pi-2',
    });
    const [header = [], row = []] = parseCsv((await rig.api(`/experiments/${id}/runs.csv`)).text);
    expect(row[header.indexOf('cpu_model')]).toBe('Cortex-A72; Cortex-A76');
    expect(row[header.indexOf('broker_version')]).toBe('');
  });

  it('saves raw data of a run as JSON and CSV', async () => {
    const { id } = played.runs[0]!;
    const raw = JSON.parse((await rig.api(`/runs/${id}/raw.json`)).text) as RunDetail;
    expect(raw).toEqual((await rig.api(`/runs/${id}`)).body);
    const [header, ...rows] = parseCsv((await rig.api(`/runs/${id}/raw.csv`)).text);
    expect(header).toEqual(['role', 'device', 'metric', 'unit', 'time_ms', 'value']);
    const samples = raw.results.flatMap(({ series }) => series.flatMap(({ values }) => values));
    expect(rows).toHaveLength(samples.length);
    expect(rows[0]).toEqual(['broker', 'local-broker', 'cpu.process', '%', '-1000', '']);
  });

  it('merges the log of server and devices by time, each line once', async () => {
    const { id } = played.runs[0]!;
    const line = { at: 1_790_000_000_000, level: 'info' as const, source: 'broker', text: 'ready' };
    rig.runs.appendLog({ experimentId: played.id, runId: id, line });
    rig.runs.appendLog({ experimentId: played.id, runId: id, line: { ...line, at: 5, text: 'begun' } });
    const { items } = (await rig.api(`/runs/${id}/log`)).body as { items: LogLine[] };
    expect(items.map(({ source, text }) => `${source} ${text}`)).toEqual([
      'broker begun',
      'broker ready',
      'publisher ready',
      'subscriber ready',
    ]);
  });

  it('compares, with series', async () => {
    const comparison = (await rig.api(`/compare?experiments=${played.id}`)).body as Comparison;
    expect(comparison.treatments.map(({ latency }) => Math.round(latency?.p50 ?? 0))).toEqual([1, 2, 3]);
    const path = `/compare/series?experiments=${played.id}&metric=cpu.device&role=broker`;
    const { items } = (await rig.api(path)).body as { items: ComparedSeries[] };
    expect(items).toHaveLength(3);
    const half = await rig.api(`/compare/series?experiments=${played.id}&metric=cpu.device`);
    expect([half.status, JSON.stringify(half.body)]).toEqual([
      422,
      expect.stringContaining('Add role, or leave out both.'),
    ]);
    const window = `/compare/window?experiments=${played.id}&metric=cpu.device&role=broker`;
    expect((await rig.api(`${window}&from=0&to=3000`)).body).toMatchObject({ items: [{ runs: 2 }, {}, {}] });
    const backwards = await rig.api(`${window}&from=3000&to=0`);
    expect(backwards.status).toBe(422);
    expect(JSON.stringify(backwards.body)).toContain('Choose an end that is not before the start.');
    expect(((await rig.api('/compare')).body as Comparison).treatments).toEqual([]);
  });

  it('lists testbeds, devices and the catalogue, and probes a draft', async () => {
    rig.devices.saveDevice({
      id: 'local-broker',
      name: 'Broker',
      role: 'broker',
      testbedId: 'local',
      tokenHash: 'h',
    });
    expect((await rig.api('/testbeds')).body).toMatchObject({ items: [{ testbedId: 'local' }] });
    expect((await rig.api('/devices')).body).toMatchObject({ items: [{ id: 'local-broker', online: true }] });
    expect((await rig.api('/catalogue')).body).toMatchObject({ testbedId: 'local' });
    const probe = await rig.api('/testbeds/local/preflight', {
      method: 'POST',
      body: makeTestDraft({ name: '' }),
    });
    expect(probe.body).toMatchObject({ checks: [{ evidence: '6' }] });
  });

  it('reports liveness and readiness', async () => {
    expect((await rig.call('/livez')).status).toBe(200);
    expect((await rig.call('/readyz')).status).toBe(200);
    rig.setUnready('still starting');
    expect((await rig.call('/readyz')).status).toBe(503);
    expect((await rig.call('/version')).body).toEqual((await rig.api('/version')).body);
    const { text } = await rig.call('/metrics');
    expect(text).toMatch(/^mqttlab_event_loop_delay_seconds_bucket\{le="0\.1"\} \d+$/m);
    expect(text).toMatch(/mqttlab_runs\{status="done"\} 6/);
    expect(text).toMatch(/mqttlab_agents_connected 5/);
    expect(text).toMatch(/mqttlab_queue_length 0/);
    expect(text).toMatch(/mqttlab_agent_reports_refused_total\{kind="log"\} 3/);
    expect(text).toMatch(/mqttlab_agent_reports_refused_total\{kind="result"\} 0/);
    expect(text).toMatch(/mqttlab_event_loop_lag_seconds\{share="0.99"\} [\d.e-]+/);
  });

  it('returns metrics that Prometheus accepts, including all those of the dashboards', async () => {
    const { text } = await rig.call('/metrics');
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => ({ name, type }));
    for (const { name, type } of types)
      expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')]);
    // The results of this test have no TLS phase, so their gauges can be without a value.
    const exported = { 'mqttlab.json': '', 'mqttlab-results.json': '# TYPE ' };
    for (const [name, prefix] of Object.entries(exported)) {
      const file = new URL(`../../../../docker/grafana/${name}`, import.meta.url);
      const drawn = metricsOf(JSON.parse(readFileSync(file, 'utf8')));
      expect(drawn.length).toBeGreaterThan(5);
      for (const metric of drawn) expect(text, name).toMatch(new RegExp(`^${prefix}${metric}[{ ]`, 'm'));
    }
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    // Of Debian's package prometheus; without it, only the rules above are checked.
    if (checked.error === undefined) expect([checked.status, checked.stderr]).toEqual([0, '']);
  });

  it('compresses large answers for clients that accept it', async () => {
    const path = `/experiments/${played.id}`;
    const plain = await rig.api(path, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    for (const encoding of ['br', 'gzip']) {
      const packed = await rig.api(path, { headers: { 'accept-encoding': encoding } });
      expect(packed.headers.get('content-encoding')).toBe(encoding);
      expect(packed.text).toBe(plain.text);
    }
  });
});
