import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type ChildExit, ManagedChild } from '@mqttlab/shared/kit/managed-child';

/**
 * A program of the server: a module next to the caller, './name' without extension, and the caller's import.meta.url.
 */
export interface Program {
  module: string;
  from: string;
}

/**
 * Returns the program file: in the built server a file next to the caller, in the source tree the module itself.
 * MQTTLAB_PROGRAMS names the URL of a folder with built programs for tests of the source tree, which need a tenth of
 * the CPU time.
 */
export function findProgram({ module, from }: Program): URL {
  const built = new URL(`./${module.split('/').at(-1)}.mjs`, process.env.MQTTLAB_PROGRAMS ?? from);
  return existsSync(fileURLToPath(built)) ? built : new URL(`${module}.ts`, from);
}

export const quietArguments = ['--disable-warning=ExperimentalWarning'];

interface ForkOptions {
  /** Data that `forkedData` returns in the process. */
  data: unknown;
  /** Heap limit of the process. */
  memoryMb: number;
  /** The caller reads the standard output. */
  hasOutput?: boolean;
  onMessage: (message: unknown) => void;
}

/** Environment variables that a program of the server uses. It gets no secret of the server. */
const passedOn = ['NODE_COMPILE_CACHE', 'NODE_ICU_DATA', 'TZ', 'LANG', 'LC_ALL'];

/**
 * V8 collects garbage early instead of fast: the heap grows by at most this much between two collections, and the young
 * generation stays small. malloc() uses one arena, because free memory of one arena is not used by another.
 */
const savingFlags = ['--heap-growing-percent=20', '--max-semi-space-size=1'];
const savingEnvironment = { MALLOC_ARENA_MAX: '1' };

/** Starts a program as a process with a bounded heap. All its memory is freed when it ends. */
export function forkProgram(
  program: Program,
  { data, memoryMb, hasOutput = false, onMessage }: ForkOptions,
): ManagedChild {
  const inherited = passedOn.map((name) => [name, process.env[name]] as const);
  const child = new ManagedChild({
    command: process.execPath,
    args: [
      ...quietArguments,
      `--max-old-space-size=${memoryMb}`,
      ...savingFlags,
      fileURLToPath(findProgram(program)),
      JSON.stringify(data),
    ],
    environment: { ...Object.fromEntries(inherited), ...savingEnvironment },
    inheritsEnvironment: false,
    onMessage,
    serialization: 'advanced',
    stdout: hasOutput ? 'stream' : 'ignore',
    stderr: 'ignore',
    killAfterMs: 0,
  });
  child.start();
  return child;
}

/** Nice value of forked programs: requests and measurements have priority. */
const lowPriority = 10;

/** Returns the data for a program that forkProgram started, sets its low priority, and ends it with its parent. */
export function forkedData<Data>(): Data {
  setPriority(lowPriority);
  process.once('disconnect', () => process.exit(1));
  return JSON.parse(process.argv[2] ?? '');
}

/** True if V8 ended the process because its heap was full, or the kernel because the machine's memory was. */
export function ranOutOfMemory({ code, signal }: ChildExit): boolean {
  return signal === 'SIGABRT' || signal === 'SIGKILL' || code === 134;
}
