import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import * as YAML from 'yaml';
import { expect, test } from './fixtures/test.ts';

const root = resolve(import.meta.dirname, '..');
const read = (name: string) => YAML.parse(readFileSync(join(root, 'examples/pipelines', name), 'utf8'));

/** Shell commands of a pipeline in order, with its final plan. */
const pipelines = {
  'github-actions.yaml': (): string[] =>
    read('github-actions.yaml').jobs.gate.steps.flatMap((step: { run?: string }) => step.run ?? []),
  'gitlab-ci.yaml': (): string[] => {
    const { before_script, script } = read('gitlab-ci.yaml').gate;
    return [...before_script, ...script];
  },
};

for (const [name, stepsOf] of Object.entries(pipelines)) {
  test(`examples/pipelines/${name}: its steps exit with 99 if a limit is broken`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'mqttlab-pipeline-'));
    const plan = join(folder, 'plan.yaml');
    // No server is running, so the step starts one.
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const limit = YAML.stringify({ thresholds: [{ metric: 'wire.perMessage', atMost: 1 }] });
    writeFileSync(
      plan,
      `factors: { security: plain }\nworkload: { warmUp: 100ms, measure: 300ms }\nrepetitions: 3\n${limit}`,
    );
    const codes = stepsOf().map((step) => {
      const written = step.replaceAll(/mqttlab\.(xml|md)/g, (file) => join(folder, file));
      const { status, stderr } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', written], {
        cwd: root,
        encoding: 'utf8',
        env: {
          ...process.env,
          PLAN: plan,
          MQTTLAB_URL: `http://127.0.0.1:${port}`,
          MQTTLAB_DATA: join(folder, 'data'),
          GITHUB_STEP_SUMMARY: join(folder, 'mqttlab.md'),
        },
      });
      return { status, stderr };
    });
    expect(
      codes.map(({ status }) => status),
      codes.at(-1)?.stderr ?? '',
    ).toEqual([0, 99]);
    expect(readFileSync(join(folder, 'mqttlab.xml'), 'utf8')).toContain('<failure message="broken: ');
    expect(readFileSync(join(folder, 'mqttlab.md'), 'utf8')).toContain('| broken |');
    rmSync(folder, { recursive: true });
  });
}

test('examples/pipelines/own-broker: its steps set RabbitMQ as the broker and pass the gate', ({
  rabbit,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-pipeline-'));
  const own = join(root, 'examples/pipelines/own-broker');
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const steps: { name?: string; run?: string }[] = read('own-broker/github-actions.yaml').jobs.gate.steps;
  // The other steps install mqttlab and RabbitMQ.
  const commands = ['Start mqttlab and set the broker', 'Run the gate'].map(
    (name) => steps.find((step) => step.name === name)?.run ?? fail(`no step "${name}"`),
  );
  const settings = JSON.parse(readFileSync(join(own, 'broker.json'), 'utf8'));
  expect(documented('json')).toContainEqual(settings);
  expect(documented('yaml')).toContainEqual(read('own-broker/broker-gate.yaml'));
  const account = { username: 'researcher', password: 'correct horse' };
  writeFileSync(join(folder, 'broker.json'), JSON.stringify({ ...settings, ...account, port: rabbit.port }));
  copyFileSync(join(own, 'broker-gate.yaml'), join(folder, 'broker-gate.yaml'));
  // Replaces the installed program.
  const program = `#!/bin/sh\ncase $1 in start) cd ${root} && exec npm start ;; *) exec ${process.execPath} ${root}/dist/cli.mjs "$@" ;; esac\n`;
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'mqttlab'), program, { mode: 0o755 });
  const script = ["trap 'kill $(jobs -p); wait' EXIT", ...commands].join('\n');
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-e', '-o', 'pipefail', '-c', script.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)],
    {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
        PORT: String(port),
        MQTTLAB_URL: `http://127.0.0.1:${port}`,
        MQTTLAB_DATA: join(folder, 'data'),
        GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
      },
    },
  );
  expect(status, stdout + stderr).toBe(0);
  expect(readFileSync(join(folder, 'mqttlab.xml'), 'utf8')).not.toContain('<failure');
  const summary = readFileSync(join(folder, 'summary.md'), 'utf8');
  expect(summary).toContain('RabbitMQ loses nothing at QoS 1');
  expect(summary).toContain('| held |');
  rmSync(folder, { recursive: true });
});

/** Returns the values of the blocks of one language in the page about CI. */
function documented(language: 'json' | 'yaml'): unknown[] {
  const page = readFileSync(join(root, 'docs/how-to/continuous-integration.md'), 'utf8');
  return [...page.matchAll(/```(\w+)\n(.*?)```/gs)].flatMap(([, kind, text]) =>
    kind === language ? [YAML.parse(text ?? '')] : [],
  );
}

function fail(what: string): never {
  throw new Error(what);
}
