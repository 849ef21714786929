import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { TestServer } from '../fixtures/server.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const containerSchema = z.object({ command: z.array(z.string()), args: z.array(z.string()) });

/** Command and arguments of an agent's container, from the manifests. */
function agentCommand(): string[] {
  const text = readFileSync(join(root, 'docker/kubernetes/mqttlab.yaml'), 'utf8');
  const part = text.slice(text.indexOf('- name: agent\n'));
  const listOf = (key: string): unknown =>
    (new RegExp(`${key}: \\[(.*)\\]`).exec(part)?.[1] ?? '')
      .split(', ')
      .map((word) => word.replaceAll('"', ''));
  const { command, args } = containerSchema.parse({ command: listOf('command'), args: listOf('args') });
  return [...command, ...args];
}

/** Agents as in a cluster, but without containers: each has a separate folder and the secret of its pool. */
export class PoolAgents {
  readonly #server: TestServer;
  readonly #children = new Map<string, ChildProcess>();
  #isStopped = false;

  constructor(server: TestServer) {
    this.#server = server;
  }

  folderOf(name: string): string {
    return join(this.#server.dataFolder, 'pods', name);
  }

  /** Starts or restarts an agent, like a container of the same pod. Does nothing after `stop`. */
  start(name: string, secret: string): void {
    if (this.#isStopped) return;
    const folder = this.folderOf(name);
    mkdirSync(folder, { recursive: true });
    const enrolFile = join(folder, 'enrol');
    writeFileSync(enrolFile, secret, { mode: 0o600 });
    const meant = new Map([
      ['node', process.execPath],
      ['dist/agent.mjs', join(root, 'dist/agent.mjs')],
      ['https://mqttlab:8080', this.#server.address],
      ['/etc/mqttlab/enrol/token', enrolFile],
      ['/data', join(folder, 'data')],
    ]);
    const [program = '', ...args] = agentCommand().map((word) => meant.get(word) ?? word);
    const env = { ...process.env, MQTTLAB_AGENT_NAME: name, MQTTLAB_REHEARSAL: 'off' };
    const child = spawn(program, args, { env, stdio: 'ignore' });
    this.#children.set(name, child);
  }

  kill(name: string): void {
    this.#children.get(name)?.kill('SIGKILL');
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const running = [...this.#children.values()].filter((child) => child.exitCode === null && !child.killed);
    const ended = running.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of running) child.kill('SIGTERM');
    await Promise.all(ended);
  }
}
