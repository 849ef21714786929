import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type AnyCommand, Cli, pathOf } from './cli.ts';
import { addCommands, commonOptions, listOptions, listUsages } from './program.ts';
import { splitWords, startBench } from './testing/bench.ts';
import { callCli } from './testing/call-cli.ts';
import { experimentSubjects } from './testing/experiment-steps.ts';
import { labSubjects } from './testing/lab-steps.ts';
import { project, startHttpsServer } from './testing/server.ts';

const subjects = [...experimentSubjects, ...labSubjects];

/** Command lines that start a program or need another server; each has a test below. */
const separate = { runAlone: 'run PLAN.yaml --start-server --strict', start: 'start', rotate: 'tls rotate' };

/** Commands and options that another test file of the command line executes. */
const ownTests: Record<string, string> = {
  '--server': 'cli.test.ts',
  '--token': 'cli.test.ts',
  '--json': 'commands/user.test.ts',
  'study show': 'show-study.test.ts',
  'testbed list': 'commands/testbed.test.ts',
  'testbed show --output': 'commands/testbed.test.ts',
  'testbed set': 'commands/testbed.test.ts',
  'testbed remove': 'commands/testbed.test.ts',
  'import-csv --format': 'commands/import-csv.test.ts',
  'webhook list': 'commands/webhook.test.ts',
  'webhook remove': 'commands/webhook.test.ts',
  'user list': 'commands/user.test.ts',
  'user add --role': 'commands/user.test.ts',
  'user role': 'commands/user.test.ts',
  'user password': 'commands/user.test.ts',
  'user logout': 'commands/user.test.ts',
  'user remove': 'commands/user.test.ts',
  'token list': 'commands/token.test.ts',
  'token revoke': 'commands/token.test.ts',
  completion: 'commands/completion.test.ts',
};

/** Commands that succeed only on a device with SSH, and the tests with virtual devices that execute them. */
const elsewhere: Record<string, string> = {
  'device add': 'e2e/lab/plain.test.ts',
  'device upgrade': 'e2e/lab/plain.test.ts',
  'device remove': 'e2e/lab/plain.test.ts',
};

const folder = mkdtempSync(join(tmpdir(), 'mqttlab-every-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('commands and options', () => {
  it.each(subjects)('$subject', async ({ prepare, steps }) => {
    const bench = await startBench();
    onTestFinished(bench.stop);
    await prepare?.(bench);
    for (const step of steps) await bench.run(step);
  });

  it('run --start-server starts a server for the run, and stops it', async () => {
    const plan = join(folder, 'plan.yaml');
    writeFileSync(
      plan,
      `factors: { security: plain }
workload: { warmUp: 100ms, measure: 300ms }
repetitions: 1
thresholds: [{ metric: wire.perMessage, atMost: 1 }]
`,
    );
    const argv = splitWords(separate.runAlone.replace('PLAN.yaml', plan));
    // No server can have port 0, which selects a free port for the new server.
    const env = { ...process.env, MQTTLAB_URL: 'http://127.0.0.1:0', MQTTLAB_DATA: join(folder, 'alone') };
    const { code, said, noted } = await callCli(argv, { env });
    // One run is too few for an interval, which --strict counts.
    expect(code, said + noted).toBe(99);
    expect(noted).toContain('No mqttlab server is running');
    expect(said).toContain('1 of 1 trials done');
    const [, address = ''] = /E-1 started: (http:\S+)/.exec(noted) ?? [];
    expect(address).not.toBe('');
    await expect(fetch(address)).rejects.toThrow();
  });

  it('start serves until SIGTERM', async () => {
    const environment = { PORT: '0', MQTTLAB_DATA: join(folder, 'started'), LOG_LEVEL: 'silent' };
    const program = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), separate.start], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void program.kill('SIGKILL'));
    const ended = once(program, 'exit');
    let version = '';
    for await (const line of createInterface(program.stdout)) {
      const address = /ready on (http:\S+)/.exec(line)?.[1];
      if (address === undefined) continue;
      version = await (await fetch(`${address}/version`)).text();
      break;
    }
    expect(version).toContain('"mqttlab"');
    program.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('tls rotate replaces the authority, and prints the new certificate', async () => {
    const token = 'the-token-of-the-one-administrator';
    const data = join(folder, 'https');
    const server = await startHttpsServer(data, token);
    onTestFinished(server.stop);
    // MQTTLAB_AUTHORITY changes the process, which other test files share.
    const trusted = getCACertificates('default');
    onTestFinished(() => setDefaultCACertificates(trusted));
    const authority = join(data, 'tls', 'authority.pem');
    const before = readFileSync(authority, 'utf8');
    const env = {
      MQTTLAB_URL: `https://127.0.0.1:${server.port}`,
      MQTTLAB_ADMIN_TOKEN: token,
      MQTTLAB_AUTHORITY: authority,
    };
    const { code, said, noted } = await callCli(splitWords(separate.rotate), { env });
    expect(code, noted).toBe(0);
    expect(said).not.toBe(before.trim());
    expect(said).toBe(readFileSync(authority, 'utf8').trim());
    expect(noted).toMatch(/SHA-256 fingerprint ([0-9A-F]{2}:){31}[0-9A-F]{2}\./);
    expect((await callCli(['list'], { env })).code).toBe(0);
  });
});

/** Parses a command line. Returns its command and long options instead of running it. */
async function parse(line: string): Promise<string[]> {
  const nothing = () => undefined;
  const { signal } = new AbortController();
  const cli = addCommands(new DryCli({ env: {}, columns: 80, print: nothing, note: nothing, signal }));
  let found: string[] = [];
  cli.program.hook('preAction', (_program, command) => {
    const path = pathOf(command);
    const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli';
    const options = command.options.filter((option) => isGiven(option.attributeName()));
    found = [path, ...options.map(({ long }) => `${path} ${long}`)];
  });
  await cli.program.parseAsync(splitWords(line), { from: 'user' });
  return found;
}

class DryCli extends Cli {
  override runs() {
    return async () => undefined;
  }
}

/** Returns a command and its options as `parse` does: "study run", "study run --part". */
function namesOf(command: AnyCommand): string[] {
  const path = pathOf(command);
  return [path, ...listOptions(command).map(([form]) => `${path} ${optionOf(form)}`)];
}

/** Returns "--output" for "-o, --output FILE". */
function optionOf(form: string): string {
  return /--[\w-]+/.exec(form)?.[0] ?? form;
}

describe('coverage', () => {
  it.each([
    ...Object.entries(ownTests).map(([name, file]) => [name, join('apps/cli/src', file)]),
    ...Object.entries(elsewhere),
  ])('%s is executed by %s', (name, file) => {
    const path = join(project.root, file);
    expect(existsSync(path)).toBe(true);
    const text = readFileSync(path, 'utf8');
    for (const word of name.split(' ')) expect(text).toContain(`'${word}'`);
  });

  it('every command and every option is executed by a test', async () => {
    // A command with exit code 2 is refused before it does anything.
    const steps = subjects.flatMap((subject) => subject.steps).filter(({ code }) => code !== 2);
    const lines = [...steps.map(({ line }) => line), ...Object.values(separate)];
    const executed = new Set((await Promise.all(lines.map(parse))).flat());
    const own = Object.keys(ownTests);
    const named = [...own, ...Object.keys(elsewhere)];
    const common = commonOptions.map(([form]) => optionOf(form));
    const all = [...common, ...listUsages().flatMap(({ command }) => namesOf(command))];
    const isNamed = (name: string) => named.some((one) => one === name || one.startsWith(`${name} --`));
    expect(all.filter((name) => !executed.has(name) && !isNamed(name))).toEqual([]);
    expect(named.filter((name) => !all.includes(name))).toEqual([]);
    expect(own.filter((name) => executed.has(name))).toEqual([]);
  });
});
