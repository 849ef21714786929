import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import * as YAML from 'yaml';

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
