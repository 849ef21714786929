import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AgentProcess } from './local-testbed.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-agent-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('an agent of this machine gets its own token and no secret of the server', async () => {
  const secrets = {
    MQTTLAB_ADMIN_TOKEN: 'of the server',
    MQTTLAB_TOKEN: 'of the command line',
    MQTTLAB_DEVICE_PASSWORD: 'of a device',
    AWS_SECRET_ACCESS_KEY: 'of another program',
  };
  for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value);
  vi.stubEnv('LC_ALL', 'C.UTF-8');
  vi.stubEnv('MQTTLAB_PYTHON', '/opt/lab/bin/python3');
  const out = join(folder, 'environment.json');
  const program = join(folder, 'agent.mjs');
  writeFileSync(
    program,
    `import { writeFileSync, renameSync } from 'node:fs';
    writeFileSync(${JSON.stringify(`${out}.part`)}, JSON.stringify(process.env));
    renameSync(${JSON.stringify(`${out}.part`)}, ${JSON.stringify(out)});
    setInterval(() => {}, 1000);`,
  );
  const agent = new AgentProcess({
    name: 'agent',
    program: { execPath: process.execPath, args: [program] },
    args: [],
    environment: { MQTTLAB_AGENT_TOKEN: 'its own' },
    onLog: () => {},
  });
  agent.start();
  try {
    const environment = await vi.waitFor(() => JSON.parse(readFileSync(out, 'utf8')), { timeout: 240_000 });
    expect(environment).toMatchObject({ MQTTLAB_AGENT_TOKEN: 'its own', LC_ALL: 'C.UTF-8' });
    expect(environment.MQTTLAB_PYTHON).toBe('/opt/lab/bin/python3');
    expect(environment.PATH).toBe(process.env.PATH);
    for (const name of Object.keys(secrets)) expect(environment).not.toHaveProperty(name);
  } finally {
    await agent.stop();
  }
});
