import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exitCodes } from '@mqttlab/shared/domain/exit-codes';
import { afterEach, describe, expect, it } from 'vitest';
import { callCli } from './testing/call-cli.ts';
import { project } from './testing/server.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that gives one answer to everything. */
async function serve(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const call = (argv: string[], env: NodeJS.ProcessEnv = {}) => callCli(argv, { env });

describe('exit codes', () => {
  it.each([
    [['frobnicate'], 'there is no command "frobnicate"'],
    [['list', '--colour'], "unknown option '--colour'"],
    [['list', '--status', 'purple'], '--status: choose one of'],
    [['list', '--status', 'purple'], '"npm run mqttlab -- list --help" shows how'],
    [['list', '--server', 'nowhere'], '--server: "nowhere" is not an address'],
    [['show', 'E-x'], '"E-x" is not an experiment'],
    [['show'], 'name an experiment'],
    [['run'], 'run needs a plan file'],
    [['run', '/no/such/plan.yaml'], 'cannot read /no/such/plan.yaml'],
    [['import'], 'import needs a bundle'],
    [['import', '/no/such/bundle.zip'], 'cannot read /no/such/bundle.zip'],
    [['study'], 'study needs "list"'],
    [['study', 'run', 'x', '--scale', 'huge'], '--scale: choose one of smoke, bench, full'],
    [['export', '1', '--format', 'pdf'], '--format: choose one of csv, json, yaml, html'],
  ])('2 for wrong usage: %j', async (argv, words) => {
    const { code, noted } = await call(argv);
    expect(code).toBe(2);
    expect(noted).toContain(words);
  });

  it('0 for --version, which prints the version', async () => {
    const { code, said } = await call(['--version']);
    expect([code, said]).toEqual([0, `mqttlab ${project.version}`]);
    expect((await call(['-v'])).said).toBe(said);
  });

  it('help lists every exit code with its meaning', async () => {
    const { said } = await call(['help']);
    const listed = said.slice(said.indexOf('Exit codes:')).replaceAll(/\s+/g, ' ');
    for (const { code, meaning } of exitCodes) expect(listed).toContain(` ${code} ${meaning}`);
  });

  it('0 for help, which lists every command', async () => {
    const { code, said } = await call(['--help']);
    expect(code).toBe(0);
    for (const name of ['run PLAN.yaml', 'list', 'show', 'export']) expect(said).toContain(name);
    expect((await call([])).said).toBe(said);
  });

  it.each([
    [
      ['study', '--help'],
      ['study run ID', '--scale SCALE', 'study import FILE'],
    ],
    [
      ['help', 'study'],
      ['study run ID', '--scale SCALE', 'study import FILE'],
    ],
    [
      ['study', 'run', '--help'],
      ['study run ID', '--scale SCALE'],
    ],
    [
      ['export', '-h'],
      ['export EXPERIMENT', '--bundle'],
    ],
  ])('0 for the help of one command: %j', async (argv, words) => {
    const { code, said } = await call(argv);
    expect(code).toBe(0);
    for (const word of words) expect(said).toContain(word);
    expect(said).not.toContain('run PLAN.yaml');
    expect(said.includes('study import')).toBe(words.includes('study import FILE'));
  });

  it('help fits into 80 columns, with a line for each way to write a command', async () => {
    for (const argv of [['help'], ['study', '--help'], ['export', '--help'], ['run', '--help']]) {
      const { said } = await call(argv);
      for (const line of said.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    }
    const { said } = await call(['help']);
    for (const action of ['list', 'run ID', 'save EXPERIMENT TITLE', 'export ID', 'import FILE']) {
      expect(said).toMatch(new RegExp(`^  study ${action}(\\s|$)`, 'm'));
    }
  });

  it('1 with a remedy when no server answers', async () => {
    const { code, noted } = await call(['list'], { MQTTLAB_URL: 'http://127.0.0.1:9' });
    expect(code).toBe(1);
    expect(noted).toContain('Start it with "npm start"');
  });

  it('1 with every field that a problem document names', async () => {
    const issues = [{ field: 'repetitions', reason: 'too few', remedy: 'Choose more.' }];
    const problem = { type: 't', title: 't', status: 422, detail: 'No plan.', remedy: 'Fix it.', issues };
    const { code, noted } = await call(['list', '--server', await serve(422, JSON.stringify(problem))]);
    expect(code).toBe(1);
    expect(noted).toContain('repetitions: too few. Choose more.');
  });

  it('1 and no crash when the answer is of another program', async () => {
    const { code, noted } = await call(['list', '--server', await serve(200, '{"hello":"world"}')]);
    expect(code).toBe(1);
    expect(noted).toContain('unexpected response');
  });
});
