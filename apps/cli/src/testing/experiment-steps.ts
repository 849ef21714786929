/** Command lines about plans, experiments and studies. */
import { expect } from 'vitest';
import * as YAML from 'yaml';
import type { Bench, Subject } from './bench.ts';
import { type BundledExperiment, bundleFiles, exportBundle, openZip, packBundle } from './server.ts';

/** The factors of E-1, so that thresholds have a baseline. */
const gate = {
  factors: {
    security: ['plain', 'TLS 1.3'],
    cipherSuite: ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  },
  repetitions: 2,
  // Two runs are too few for an interval, so the threshold is not resolved.
  thresholds: [{ metric: 'latency.p50', atMost: 200, of: 'baseline' }],
};

const statusOf = ({ rig }: Bench, id: number) => rig.experiments.findExperiment(id)?.status;

/** Adds a capture and a key log to the first run of E-1. */
function addPackets({ rig }: Bench): void {
  const runId = rig.runs.listRuns(1)[0]?.id ?? 0;
  for (const name of ['capture.pcap', 'keys.log'] as const) {
    const file = { runId, deviceId: 'local-publisher', name };
    rig.runFiles.saveFilePart(file, { part: 0, bytes: Buffer.from('CLIENT_RANDOM 01'), isLast: true });
  }
}

/** Writes a bundle of E-1 whose first run states three times the measured latency. */
async function writeAltered({ rig, write }: Bench): Promise<void> {
  const packed = await exportBundle(rig, 1);
  const zip = await openZip(packed, packed.length);
  const names = zip.paths().filter((path) => /^(experiment|plan|runs\/run-\d+)\.json$/.test(path));
  const files = new Map<string, string>();
  for (const name of names) files.set(name, (await zip.read(name)).toString());
  zip.close();
  const experiment: BundledExperiment = JSON.parse(files.get(bundleFiles.experiment) ?? '');
  const metrics = experiment.runs[0]?.metrics ?? {};
  metrics['latency.p50'] = (metrics['latency.p50'] ?? 0) * 3;
  files.set(bundleFiles.experiment, JSON.stringify(experiment));
  write('altered.zip', await packBundle(files));
}

/** Returns a check that the last experiment is still this one. */
const startedNothing = (last: number) => (bench: Bench) =>
  expect(bench.rig.experiments.findExperiment(last + 1)).toBeNull();

export const experimentSubjects: readonly Subject[] = [
  {
    subject: 'plan init writes the answers that its options give',
    steps: [
      {
        line: 'plan init --vary security=plain,tls1.3 --vary qos=0,1 --workload stream --measure 2s --repetitions 4 --response wire.perMessage --testbed local --output @plan.yaml',
        noted: '16 runs: 4 treatments x 4 repetitions.',
        effect({ read }) {
          expect(read('plan.yaml')).toContain('# npm run mqttlab -- run /');
          expect(YAML.parse(read('plan.yaml'))).toMatchObject({
            factors: { security: ['plain', 'TLS 1.3'], qos: [0, 1] },
            workload: { kind: 'stream', measure: '2s' },
            repetitions: 4,
            response: 'wire.perMessage',
            testbed: 'local',
          });
        },
      },
      { line: 'plan check @plan.yaml', said: '16 runs: 4 treatments x 4 repetitions.' },
      { line: 'plan init --vary qos=0,1 --output @plan.yaml', code: 2, noted: 'cannot write' },
    ],
  },
  {
    subject: 'preflight checks the testbed of the plan, or another one',
    prepare: ({ write }) => write('plan.yaml', YAML.stringify({ ...gate, testbed: 'elsewhere' })),
    steps: [
      { line: 'preflight @plan.yaml', code: 1, noted: 'There is no testbed elsewhere' },
      {
        line: 'preflight @plan.yaml --testbed local',
        said: /^ok +Runs: Server\n +6\n\nNothing prevents a start\.$/,
      },
      { line: 'preflight E-1 --testbed elsewhere', code: 1, noted: 'There is no testbed elsewhere' },
    ],
  },
  {
    subject: 'run and watch judge thresholds, and write files for pipelines',
    prepare: ({ write }) => write('gate.yaml', YAML.stringify(gate)),
    steps: [
      {
        line: 'run @gate.yaml --strict --baseline E-1 --junit @run.xml --summary @run.md',
        code: 99,
        said: 'not resolved',
        noted: 'E-2 started: http',
        effect(bench) {
          expect(statusOf(bench, 2)).toBe('done');
          expect(bench.read('run.xml')).toContain('<failure message="not resolved: ');
          expect(bench.read('run.md')).toMatch(/^## E-2 /);
        },
      },
      {
        line: 'watch E-2 --baseline E-1 --junit @watch.xml --summary @run.md',
        // Without --baseline, the other treatments are compared with Plain.
        said: /Plain +100\s%.* not resolved$/m,
        effect({ read }) {
          expect(read('watch.xml')).toContain('<skipped message="not resolved: ');
          expect(read('run.md').match(/^## E-2 /gm)).toHaveLength(2);
        },
      },
      { line: 'watch E-2 --baseline E-1 --strict', code: 99, said: 'not resolved' },
      {
        line: 'run @gate.yaml --baseline @missing.zip',
        code: 2,
        noted: 'missing.zip',
        effect: startedNothing(2),
      },
      { line: 'run @gate.yaml --baseline E-9', code: 1, noted: 'no experiment 9', effect: startedNothing(2) },
    ],
  },
  {
    subject: 'demo runs the tour and creates a share link',
    prepare: ({ results }) => void Object.assign(results, { lost: 3 }),
    steps: [
      {
        line: 'demo --baseline E-1 --junit @demo.xml --summary @demo.md',
        said: /share link +http\S+\/s\//,
        noted: 'E-2 started: 18 runs on this machine',
        effect({ read }) {
          expect(read('demo.xml').match(/<testcase /g)).toHaveLength(18);
          expect(read('demo.md')).toMatch(/^## E-2 Tour/);
        },
      },
      { line: 'demo --strict', code: 1, noted: 'E-3 done, 18 of 18 runs, 18 flagged' },
      { line: 'demo --baseline E-9', code: 1, noted: 'There is no experiment 9', effect: startedNothing(3) },
    ],
  },
  {
    subject: 'list, show and compare print experiments',
    prepare: ({ rig }) => void rig.createDraft({ name: 'Only a draft' }),
    steps: [
      { line: 'list --status finished', said: /^Id.*\n-*.*\n?E-1 +done +6\/6 +\d+ +TLS or not$/m },
      { line: 'list --status draft', said: /E-2 +draft .*Only a draft$/ },
      { line: 'show E-1', said: '6 of 6 trials done' },
      { line: 'compare E-1 --response wire.perMessage', said: /Treatment +Runs +\w.*bytes per message, B/i },
      { line: 'compare E-1 --response speed', code: 2, noted: 'there is no metric "speed"' },
    ],
  },
  {
    subject: 'export and import transfer an experiment',
    prepare: addPackets,
    steps: [
      {
        line: 'export E-1 --format yaml --output @plan.yaml',
        effect: ({ read }) => expect(YAML.parse(read('plan.yaml'))).toMatchObject({ name: 'TLS or not' }),
      },
      {
        line: 'export E-1 --bundle --output @plain.zip',
        effect: ({ read }) => expect(read('plain.zip')).not.toMatch(/capture\.pcap|keys\.log/),
      },
      {
        line: 'export E-1 --bundle --captures --output @captures.zip',
        noted: /captures\.zip: \d+ bytes/,
        effect({ read }) {
          expect(read('captures.zip')).toContain('capture.pcap');
          expect(read('captures.zip')).not.toContain('keys.log');
        },
      },
      {
        line: 'export E-1 --bundle --key-logs --output @keys.zip',
        effect({ read }) {
          for (const name of ['capture.pcap', 'keys.log']) expect(read('keys.zip')).toContain(name);
        },
      },
      { line: 'export E-1 --key-logs', code: 2, noted: '--captures and --key-logs need --bundle' },
      {
        line: 'import @keys.zip',
        said: 'E-2 TLS or not: 6 runs',
        effect({ rig }) {
          const [run] = rig.runs.listRuns(2);
          expect(rig.runs.findRunDetail(run?.id ?? 0)?.files).toHaveLength(2);
        },
      },
    ],
  },
  {
    subject: 'import refuses an altered bundle unless the option accepts it',
    prepare: writeAltered,
    steps: [
      {
        line: 'import @altered.zip',
        code: 1,
        noted: 'run 1: latency.p50',
        effect: (bench) => expect(statusOf(bench, 2)).toBeUndefined(),
      },
      { line: 'import @altered.zip --accept-altered', said: 'E-2 TLS or not: 6 runs', noted: /altered/i },
    ],
  },
  {
    subject: 'import-csv imports measurements of another tool',
    prepare: ({ write }) =>
      write('runs.csv', 'begun,p50,broker\n2026-11-01T10:00:00Z,2,EMQX\n2026-11-01T11:00:00Z,1,Mosquitto\n'),
    steps: [
      {
        line: 'import-csv @runs.csv --map latency.p50=p50 --treatment broker --started-at begun --tool script --name "Two brokers" --response latency.p50 --baseline Mosquitto',
        said: 'E-2 Two brokers: 2 runs',
        effect({ rig }) {
          expect(rig.experiments.findExperiment(2)?.plan).toMatchObject({ response: 'latency.p50' });
          const starts = rig.runs.listRuns(2).map(({ startedAt }) => startedAt);
          expect(starts).toContain(Date.parse('2026-11-01T10:00:00Z'));
        },
      },
      {
        line: 'import-csv @runs.csv --map latency.p50=p50 --tool script --response speed',
        code: 1,
        noted: 'speed',
      },
    ],
  },
  {
    subject: 'meter adds the measurements of a power meter',
    prepare({ write }) {
      const rows = Array.from({ length: 230 }, (_, i) => `${i * 100},3`);
      write('meter.csv', ['elapsed ms,power', ...rows].join('\n'));
    },
    steps: [
      {
        line: 'meter E-1 run 1 @meter.csv --role publisher --device local-publisher --started-at 501 --ahead-ms 500 --name Otii',
        said: /^E-1, run 1, publisher local-publisher: 6\sJ while measuring.* samples from -1\.5 s/,
        effect({ rig }) {
          const [run] = rig.runs.listRuns(1).filter(({ trialNumber }) => trialNumber === 1);
          expect(JSON.stringify(rig.runs.findRunDetail(run?.id ?? 0))).toContain('Otii');
        },
      },
      {
        line: 'meter E-1 run 1 @meter.csv --role publisher --device other --started-at 501',
        code: 1,
        noted: 'other',
      },
    ],
  },
  {
    subject: 'study runs, saves and transfers studies',
    prepare: ({ results }) => void Object.assign(results, { lost: 3 }),
    steps: [
      { line: 'study list', said: /^v2x-tls +a .*TLS on low-cost boards for V2X: /m },
      {
        line: 'study run cipher-suites --scale smoke --part a --strict',
        code: 1,
        said: /(\d+) of \1 trials done/,
        noted:
          /(\d+) of \1 runs, \1 flagged.*Compared with the published values: http\S+\/studies\/runs\/1$/s,
        effect: (bench) => expect(statusOf(bench, 2)).toBe('done'),
      },
      { line: 'study save E-1 Cost of TLS', said: /^\S+ +Cost of TLS: 1 part$/ },
      {
        line: 'study export cost-of-tls --output @study.yaml',
        effect: ({ read, write }) =>
          write('again.yaml', read('study.yaml').replace('Cost of TLS', 'Price of TLS')),
      },
      {
        line: 'study import @again.yaml',
        said: /Price of TLS: 1 part$/,
        effect({ rig }) {
          const titles = rig.studies.listOwnStudies().map(({ title }) => title);
          expect(titles.toSorted()).toEqual(['Cost of TLS', 'Price of TLS']);
        },
      },
    ],
  },
  {
    subject: 'clients tries every combination and prints the newest matrix',
    steps: [
      { line: 'clients show', code: 2, noted: 'no clients have been tested yet' },
      { line: 'clients try --testbed elsewhere', code: 1, noted: 'no testbed elsewhere' },
      {
        line: 'clients try --testbed local --output @tried.csv',
        said: /^Client +Security +Suites /m,
        noted: /E-2 started: .*tried\.csv: \d+ combinations/s,
        effect: ({ read }) => expect(read('tried.csv')).toMatch(/^client,security,suite_group.*,works,/s),
      },
      {
        line: 'clients show --output @shown.csv',
        said: / yes\b/,
        effect: ({ read }) => expect(read('shown.csv')).toBe(read('tried.csv')),
      },
      { line: 'clients show E-2', said: /^native +TLS 1\.3 /m },
    ],
  },
];
