import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { capture } from '@mqttlab/shared/catalogue/factors/capture';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import {
  type CaptureLevel,
  maxCaptureBytes,
  type ResultFile,
  type RunCapture,
} from '@mqttlab/shared/domain/runs/capture';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import { poll } from '@mqttlab/shared/kit/poll';
import type { ChildRecords } from '../../processes/child-records.ts';
import { readDiskFree } from '../../processes/files.ts';
import { ask, findDeathSignalCommand, findProgram } from '../../processes/programs.ts';
import { ProcessCpuTime } from '../cpu.ts';
import type { CaptureOffer, CaptureProgram, Contribution, MakeInstrument } from '../instrument.ts';
import { summariseCapture } from './summarise-capture.ts';

const fileName: ResultFile['name'] = 'capture.pcap';

/** Captures packets on the broker's port, if the trial requests it. */
export const packetCapture: MakeInstrument = ({ device, spec, filesFolder, milestone }) => {
  const level = capture.of(spec);
  if (level === 'none' || spec.broker === 'external') return null;
  const { program, refusal } = device.capture;
  const path = join(filesFolder, fileName);
  let running: PacketCapture | null = null;
  return {
    name: 'packet capture',
    async listen(port) {
      if (program === null) throw new Error(refusal ?? 'no capture program was found');
      const { procRoot, records } = device;
      running = new PacketCapture({ program, level, port, spec, path, procRoot, records });
      await running.start();
      milestone(`${program.version} captures port ${port} (${level})`);
    },
    async contribute() {
      if (running === null) return {};
      const part: Contribution = { degraded: [] };
      const note = (error: unknown) =>
        void part.degraded?.push({ collector: 'packet capture', reason: reasonOf(error) });
      const summary = await running.stop().catch(note);
      // Capturing was stopped before anything was written.
      if (summary === null) return {};
      if (summary) part.capture = summary;
      // The file is sent to the server even if it cannot be summarised.
      const size = await stat(path).then((file) => file.size, note);
      if (size) part.files = [{ name: fileName, bytes: size }];
      return part;
    },
  };
};

interface PacketCaptureOptions {
  program: CaptureProgram;
  level: Exclude<CaptureLevel, 'none'>;
  /** Port of the broker. */
  port: number;
  spec: TrialSpec;
  /** Path of the capture file, whose folder is created. */
  path: string;
  procRoot: string;
  records: ChildRecords;
  maxBytes?: number;
}

/** Enough for IP and TCP headers with every option, a record header, and most of a ServerHello. */
const headerBytes = 256;
const wholeBytes = 65_535;
const blockBytes = 512;
const [startMs, killAfterMs] = [5_000, 3_000];
const [settleMs, settleMostMs, unmarkedMs] = [50, 5_000, 1_000];
/** Maximum number of bytes in the file after the mark. */
const endBytes = 64 * 1024;
/** Free disk space reserved for results. */
const spareBytes = 64 * 1024 * 1024;

/** Captures packets on the broker's port: a system program writes them to a file of limited size. */
export class PacketCapture {
  readonly #options: PacketCaptureOptions;
  readonly #maxBytes: number;
  #child: ManagedChild | null = null;
  #cpu: ProcessCpuTime | null = null;

  constructor(options: PacketCaptureOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? maxCaptureBytes;
  }

  /** Resolves when packets are being captured. Rejects with Failure 'capture-failed'. */
  async start(): Promise<void> {
    const { path, procRoot, records } = this.#options;
    const folder = dirname(path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const freeBytes = await readDiskFree(folder);
    if (freeBytes !== null && freeBytes < this.#maxBytes + spareBytes) {
      throw failed(`its disk has only ${Math.round(freeBytes / 1e6)} MB of free space`);
    }
    // The kernel kills a program whose file reaches the limit (setrlimit(2), RLIMIT_FSIZE).
    const limit = `ulimit -c 0; ulimit -f ${Math.ceil(this.#maxBytes / blockBytes)}; exec "$@"`;
    let hasBegun = () => {};
    const begun = new Promise<void>((resolve) => {
      hasBegun = resolve;
    });
    const child = new ManagedChild({
      command: 'sh',
      args: ['-c', limit, 'sh', ...(await findDeathSignalCommand()), ...this.#command()],
      environment: { LC_ALL: 'C' },
      onLine: (line) => /listening on|^File: /.test(line) && hasBegun(),
      killAfterMs,
      records,
    });
    this.#child = child;
    child.start();
    const ended = child.exit.then(
      () => Promise.reject(failed(child.lastLines)),
      (error: unknown) => Promise.reject(failed(reasonOf(error))),
    );
    ended.catch(() => {});
    const late = wait(startMs, undefined, { ref: false }).then(() =>
      Promise.reject(failed(`nothing was captured within ${startMs / 1000} s`)),
    );
    await Promise.race([begun, ended, late]);
    if (child.pid !== null) this.#cpu = new ProcessCpuTime(procRoot, child.pid);
  }

  /**
   * Stops the program and reads the file; returns null if the program never started. Rejects if the file
   * cannot be read.
   */
  async stop(): Promise<RunCapture | null> {
    const child = this.#child;
    this.#child = null;
    if (child === null) return null;
    const { path, spec, port, level, program } = this.#options;
    const hasEnded = await Promise.race([
      child.exit.then(
        () => true,
        () => true,
      ),
      this.#settled(),
    ]);
    const cpuUs = hasEnded ? null : this.#readCpu();
    await child.stop('SIGINT');
    const file = await readFile(path);
    const { isCut, ...found } = summariseCapture(file, spec, port);
    return {
      level,
      program: program.version,
      fileBytes: file.length,
      lostPackets: lostOf(child.lines),
      cpuUs,
      cut: hasEnded || isCut ? this.#whyCut(file.length, child.lastLines) : null,
      ...found,
    };
  }

  #command(): string[] {
    const { program, level, path, port } = this.#options;
    const snap = String(level === 'headers' ? headerBytes : wholeBytes);
    const common = ['-i', 'any', '-s', snap, '-w', path];
    if (program.name === 'dumpcap') {
      return [program.path, ...common, '-P', '-q', '-B', '8', '-f', `port ${port}`];
    }
    // As root, tcpdump would switch to another user without write access.
    const asRoot = process.getuid?.() === 0 ? ['-Z', 'root'] : [];
    return [program.path, ...common, '-U', '-n', '-B', '8192', ...asRoot, `port ${port}`];
  }

  /**
   * Waits until every captured packet is written; resolves with false on timeout. A program without CPU time
   * writes nothing, so an unchanged file does not prove that it is complete. Instead, a final datagram is
   * sent to the port; the file is complete when it contains that datagram.
   */
  async #settled(): Promise<false> {
    const { path, port } = this.#options;
    const mark = Buffer.from(`mqttlab ends this capture: ${randomUUID()}`);
    if (!(await sendTo(port, mark))) {
      await wait(unmarkedMs);
      return false;
    }
    const isWritten = async () => (await endOf(path)).includes(mark);
    await poll(isWritten, { everyMs: settleMs, timeoutMs: settleMostMs });
    return false;
  }

  #readCpu(): number | null {
    try {
      return this.#cpu?.readUs() ?? null;
    } catch {
      return null;
    } finally {
      this.#cpu?.close();
    }
  }

  #whyCut(bytes: number, lastLines: string): string {
    if (bytes >= this.#maxBytes - blockBytes) {
      return `It reached its limit of ${this.#maxBytes / 1024 / 1024} MiB; later packets are missing.`;
    }
    return `${this.#options.program.name} exited before the end of the run: ${lastLines || 'no output'}`;
  }
}

/**
 * Sends a datagram over the loopback interface to a port without a listener; returns false if there is no
 * such interface.
 */
async function sendTo(port: number, datagram: Buffer): Promise<boolean> {
  const socket = createSocket('udp4');
  socket.on('error', () => {});
  const isSent = await new Promise<boolean>((resolve) =>
    socket.send(datagram, port, '127.0.0.1', (error) => resolve(error === null)),
  );
  socket.close();
  return isSent;
}

/** Returns an empty buffer if the file cannot be read. */
async function endOf(path: string): Promise<Buffer> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const buffer = Buffer.alloc(Math.min(size, endBytes));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, size - buffer.length);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return Buffer.alloc(0);
  }
}

/** Reads the number of dropped packets from the summary line that the programs print when they exit. */
function lostOf(lines: readonly string[]): number | null {
  const text = lines.join('\n');
  const found =
    /(\d+) packets? dropped by kernel/.exec(text) ??
    /received\/dropped on interface .*: \d+\/(\d+)/.exec(text);
  return found === null ? null : Number(found[1]);
}

function failed(reason: string): Failure {
  return new Failure({
    code: 'capture-failed',
    message: `Packets could not be captured: ${reason}.`,
    remedy: 'Free disk space on the device, or run without a capture.',
  });
}

const names = ['tcpdump', 'dumpcap'] as const;

/**
 * Returns the first program that is permitted to open the interfaces of this device. Tries each program,
 * because this depends on permissions.
 */
export async function findCapture(
  find: (name: string) => Promise<string | null> = findProgram,
): Promise<CaptureOffer> {
  let refusal = 'neither tcpdump nor dumpcap is installed';
  for (const name of names) {
    const path = await find(name);
    if (path === null) continue;
    // To list link types, a program opens the interface in the same way as for a capture.
    const [trial, { stdout, stderr }] = await Promise.all([
      ask(path, ['-i', 'any', '-L']),
      ask(path, ['--version']),
    ]);
    const version = /\d+\.\d+(\.\d+)?/.exec(stdout + stderr)?.[0] ?? '';
    if (trial.code === 0)
      return { program: { name, path, version: `${name} ${version}`.trim() }, refusal: null };
    refusal = `${name} is not permitted to capture: ${trial.stderr.trim().replace(/\s+/g, ' ').slice(0, 300) || 'no output'}`;
  }
  return { program: null, refusal };
}
