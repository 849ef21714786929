import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { capture } from '@mqttlab/shared/catalogue/factors/capture';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { ResultFile } from '@mqttlab/shared/domain/runs/capture';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { PacketCapture } from '../capture/packet-capture.ts';
import type { RunContext } from './role-run.ts';

const name: ResultFile['name'] = 'capture.pcap';

type PacketsContext = Pick<RunContext, 'filesFolder' | 'log'> & {
  device: Pick<RunContext['device'], 'capture' | 'procRoot' | 'records'>;
};

/** The capture of one Run at the device of its broker: where it fails the Run goes on without. */
export class RunPackets {
  readonly #context: PacketsContext;
  readonly #degraded: RoleResult['degraded'] = [];
  #capture: PacketCapture | null = null;

  constructor(context: PacketsContext) {
    this.#context = context;
  }

  /** Before anybody connects to this port of the broker; nothing where the Trial asks for no capture. Never rejects. */
  async start(spec: TrialSpec, port: number): Promise<void> {
    const level = capture.of(spec);
    if (level === 'none' || spec.broker === 'external') return;
    const { device, filesFolder, log } = this.#context;
    const { program, refusal } = device.capture;
    await this.#attempt(async () => {
      if (program === null) throw new Error(refusal ?? 'no program for it was found');
      const { procRoot, records } = device;
      const path = join(filesFolder, name);
      this.#capture = new PacketCapture({ program, level, port, spec, path, procRoot, records });
      await this.#capture.start();
      log.milestone('agent', `${program.version} captures port ${port} (${level})`);
    });
  }

  /**
   * Ends it. `files`: the capture next to the result, which is kept even if it cannot be summarised. Never rejects,
   * idempotent.
   */
  async finish(): Promise<Pick<RoleResult, 'capture' | 'files' | 'degraded'>> {
    const found: Pick<RoleResult, 'capture' | 'files'> = {};
    const capture = this.#capture;
    this.#capture = null;
    if (capture === null) return { degraded: this.#degraded };
    let hasBegun = true;
    await this.#attempt(async () => {
      const summary = await capture.stop();
      if (summary !== null) found.capture = summary;
      hasBegun = summary !== null;
    });
    await this.#attempt(async () => {
      if (!hasBegun) return;
      const { size } = await stat(join(this.#context.filesFolder, name));
      if (size > 0) found.files = [{ name, bytes: size }];
    });
    return { ...found, degraded: this.#degraded };
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#degraded.push({ collector: 'packet capture', reason: reasonOf(error) });
    }
  }
}
