import { join } from 'node:path';
import { capture } from '@mqttlab/shared/catalogue/factors/capture';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { ResultFile } from '@mqttlab/shared/domain/runs/capture';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { reasonOf } from '../base/run-failure.ts';
import { PacketCapture } from '../capture/packet-capture.ts';
import type { RunContext } from './role-run.ts';

const name: ResultFile['name'] = 'capture.pcap';

/** The capture of one Run at the device of its broker: where it fails the Run goes on without. */
export class RunPackets {
  readonly #context: Pick<RunContext, 'device' | 'filesFolder' | 'log'>;
  readonly #degraded: RoleResult['degraded'] = [];
  #capture: PacketCapture | null = null;

  constructor(context: Pick<RunContext, 'device' | 'filesFolder' | 'log'>) {
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

  /** Ends it; `files`: what now lies beside the result. Never rejects, idempotent. */
  async finish(): Promise<Pick<RoleResult, 'capture' | 'files' | 'degraded'>> {
    const found: Pick<RoleResult, 'capture' | 'files'> = {};
    await this.#attempt(async () => {
      const captured = await this.#capture?.stop();
      this.#capture = null;
      if (!captured) return;
      found.capture = captured;
      if (captured.fileBytes > 0) found.files = [{ name, bytes: captured.fileBytes }];
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
