import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { Failure } from '@mqttlab/shared/kit/failure';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import * as z from 'zod';

const architectures = { x86_64: 'x64', aarch64: 'arm64' } as const;
type NodeArchitecture = (typeof architectures)[keyof typeof architectures];

/** A file to copy to devices, with its size and checksum. */
export interface TravelFile {
  /** Path of the file compressed with gzip. */
  packedPath: string;
  /** SHA-256 of the uncompressed file, hex. */
  sha256: string;
  bytes: number;
}

export interface RuntimeFiles {
  /** Returns Node 24 for a machine name from `uname -m`. Rejects with Failure if there is none. */
  node(machine: string): Promise<TravelFile>;
  agent(): Promise<TravelFile>;
}

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), integrity: z.string().optional() }),
  ),
});

/** Packs each file once and stores it in `cacheFolder`, under the checksum of its content. */
export function makeRuntimeFiles(options: {
  projectRoot: string;
  cacheFolder: string;
  /** Build folder; by default, the folder next to the program. */
  agentBundle?: string;
}): RuntimeFiles {
  const { projectRoot, cacheFolder } = options;
  const packing = new Map<string, Promise<TravelFile>>();
  const pack = (path: string): Promise<TravelFile> => {
    const found = packing.get(path) ?? packInto(cacheFolder, path);
    packing.set(path, found);
    found.catch(() => packing.delete(path));
    return found;
  };
  return {
    async node(machine) {
      const architecture = architectureOf(machine);
      return pack(await findNode({ projectRoot, cacheFolder, architecture }));
    },
    async agent() {
      const path = options.agentBundle ?? findAgentBundle();
      const packed = pack(path);
      // The agent changes with every build; concurrent callers share one packing.
      const forget = (): unknown => packing.delete(path);
      packed.then(forget, forget);
      return packed;
    },
  };
}

function architectureOf(machine: string): NodeArchitecture {
  const found = Object.entries(architectures).find(([name]) => name === machine)?.[1];
  if (found) return found;
  const is32bit = /^(armv[67]l|armhf|i[3-6]86)$/.test(machine);
  throw new Failure({
    code: 'architecture',
    message: `The device's system is ${machine}${is32bit ? ' (32-bit)' : ''}; the agent requires x86-64 or arm64.`,
    remedy: machine.startsWith('armv7')
      ? 'Node 24 is not available for 32-bit ARM. Install Raspberry Pi OS (64-bit), which runs on a Raspberry Pi 3, 4 or 5.'
      : 'Use a 64-bit system on this device, or another device.',
  });
}

/**
 * Returns the agent bundle: next to this file in the bundle, otherwise the output of the agent's build in the
 * source tree.
 */
function findAgentBundle(): string {
  const places = [
    './agent.mjs',
    '../../../../../dist/agent.mjs',
    '../../../../../packages/agent/dist/agent.mjs',
  ];
  const found = places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((path) => existsSync(path));
  if (found) return found;
  throw new Failure({
    code: 'agent-not-built',
    message: 'The agent has not been built yet.',
    remedy: 'Run "npm run build" on the server’s machine.',
  });
}

interface Wanted {
  projectRoot: string;
  cacheFolder: string;
  architecture: NodeArchitecture;
}

/**
 * Returns Node from npm's optional packages; the package for another architecture is fetched from the
 * registry on demand.
 */
async function findNode(wanted: Wanted): Promise<string> {
  const { projectRoot, cacheFolder, architecture } = wanted;
  const name = `node-linux-${architecture}`;
  const installed = findInstalled(projectRoot, `${name}/bin/node`);
  if (installed !== null) return installed;
  const lock = lockSchema.parse(JSON.parse(readFileSync(findLock(projectRoot), 'utf8')));
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {};
  const kept = join(cacheFolder, `${name}-${version}`, 'package', 'bin', 'node');
  if (existsSync(kept)) return kept;
  try {
    if (!version || !integrity) throw new Error('package-lock.json does not list it');
    await fetchPackage({ name, version, integrity, cacheFolder });
    return kept;
  } catch (error) {
    throw new Failure({
      code: 'runtime-missing',
      message: `Node for ${architecture} is not on this server and could not be fetched with npm (${String(error)}).`,
      remedy: `Run "npm pack ${name}@${version}" on a machine with network access, and unpack it into ${join(cacheFolder, `${name}-${version}`)}.`,
    });
  }
}

/**
 * Returns the path of a file in an npm package. npm may install the package in a folder above the project.
 */
function findInstalled(projectRoot: string, file: string): string | null {
  try {
    return createRequire(join(projectRoot, 'package.json')).resolve(file);
  } catch {
    return null;
  }
}

/**
 * Returns the path of the lock file. npm omits package-lock.json from packages, so the package of mqttlab
 * contains its own list of runtimes.
 */
function findLock(projectRoot: string): string {
  const ofPackage = join(projectRoot, 'dist', 'runtimes.json');
  return existsSync(ofPackage) ? ofPackage : join(projectRoot, 'package-lock.json');
}

async function fetchPackage(wanted: {
  name: string;
  version: string;
  integrity: string;
  cacheFolder: string;
}) {
  const { name, version, integrity, cacheFolder } = wanted;
  const target = join(cacheFolder, `${name}-${version}`);
  const building = `${target}.part`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  try {
    await execute('npm', ['pack', `${name}@${version}`, '--pack-destination', building, '--silent']);
    const archive = join(building, `${name}-${version}.tgz`);
    const sum = createHash('sha512').update(readFileSync(archive)).digest('base64');
    if (integrity !== `sha512-${sum}`) throw new Error('its checksum differs from package-lock.json');
    await execute('tar', ['-xzf', archive, '-C', building, 'package/bin/node']);
    rmSync(archive);
    renameSync(building, target);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

async function execute(command: string, args: readonly string[]): Promise<void> {
  const child = new ManagedChild({ command, args, stdout: 'ignore', killAfterMs: 0 });
  child.start();
  const { code, signal } = await child.exit;
  if (code !== 0) throw new Error(`${command} exited with ${code ?? signal}: ${child.lastLines}`);
}

async function packInto(cacheFolder: string, path: string): Promise<TravelFile> {
  mkdirSync(cacheFolder, { recursive: true });
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const part of createReadStream(path)) {
    hash.update(part);
    bytes += part.length;
  }
  const sha256 = hash.digest('hex');
  const packedPath = join(cacheFolder, `${sha256}.gz`);
  if (!existsSync(packedPath)) {
    const building = `${packedPath}.${process.pid}.part`;
    // Uses the fastest level, which reduces the file to a third of its size in about one second.
    await pipeline(createReadStream(path), createGzip({ level: 1 }), createWriteStream(building));
    renameSync(building, packedPath);
  }
  return { packedPath, sha256, bytes };
}
