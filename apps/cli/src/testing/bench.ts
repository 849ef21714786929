/** Runs command lines of a table against a server without agents, whose queued experiments end at once. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExitCode } from '@mqttlab/shared/domain/exit-codes';
import { expect } from 'vitest';
import { callCli } from './call-cli.ts';
import { type ApiRig, playExperiment, playPlan, startApiRig } from './server.ts';

export interface Step {
  /** Words of a command line. "{port}" is a word of `Bench.words`, "@plan.yaml" a file in the folder of the bench. */
  line: string;
  /** 0 if omitted. */
  code?: ExitCode;
  said?: string | RegExp;
  noted?: string | RegExp;
  env?: NodeJS.ProcessEnv;
  /** Verifies what the command has changed. */
  effect?: (bench: Bench) => void | Promise<void>;
}

export interface Subject {
  subject: string;
  prepare?: (bench: Bench) => void | Promise<void>;
  /** In order; later steps use the results of earlier ones. */
  steps: readonly Step[];
}

export interface Bench {
  rig: ApiRig;
  /** Values that are known only when a test runs. */
  words: Record<string, string>;
  /** Results of experiments that commands start. */
  results: Shape;
  /** Returns the path of a file in the folder of the bench. */
  at(name: string): string;
  read(name: string): string;
  write(name: string, content: string | Uint8Array): void;
  /** Runs a step; compares its exit code, its output and its effect. */
  run(step: Step): Promise<void>;
  stop(): Promise<void>;
}

type Shape = Exclude<ReturnType<NonNullable<Parameters<typeof playPlan>[2]>>, null>;

/** Latencies of repetitions differ, as measured ones do. */
const shapeOf = (results: Shape) => (_treatment: number, block: number) => ({
  latencyMs: 1 + block / 10,
  ...results,
});

/** E-1 is finished when the bench starts. */
export async function startBench(): Promise<Bench> {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-commands-'));
  const rig = await startApiRig();
  playExperiment(rig, {}, shapeOf({}));
  rig.services.scheduler.noteQueued = (id) => {
    const plan = rig.experiments.findExperiment(id)?.plan;
    if (plan) playPlan(rig, { id, plan }, shapeOf(results));
  };
  const at = (name: string) => join(folder, name);
  const results: Shape = {};
  const words: Record<string, string> = {};
  const env: NodeJS.ProcessEnv = { MQTTLAB_URL: rig.origin, MQTTLAB_DATA: at('data') };
  const bench: Bench = {
    rig,
    words,
    results,
    at,
    read: (name: string) => readFileSync(at(name), 'utf8'),
    write: (name: string, content: string | Uint8Array) => writeFileSync(at(name), content),
    async run(step: Step): Promise<void> {
      const fill = (word: string) =>
        word.replace(/\{(\w+)\}/g, (_, name) => words[name] ?? '').replace(/(?<=^|=)@/, `${folder}/`);
      const argv = splitWords(step.line).map(fill);
      const stepEnv = Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value ?? '')]);
      const { code, said, noted } = await callCli(argv, {
        env: { ...env, ...Object.fromEntries(stepEnv) },
        columns: 200,
      });
      expect(code, `${step.line}\n${said}\n${noted}`).toBe(step.code ?? 0);
      expectWords(said, step.said);
      expectWords(noted, step.noted);
      await step.effect?.(bench);
    },
    async stop(): Promise<void> {
      await rig.stop();
      rmSync(folder, { recursive: true });
    },
  };
  return bench;
}

function expectWords(text: string, wanted: string | RegExp | undefined): void {
  if (typeof wanted === 'string') expect(text).toContain(wanted);
  else if (wanted) expect(text).toMatch(wanted);
}

/** Splits at spaces outside of double quotes. */
export function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);
}
