import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import type { LoadSnapshot } from '../load-process/worker-messages.ts';
import type { LoadPhase } from '../pacing/timeline.ts';
import { ConnectingLoad } from './connecting-load.ts';
import { openTimed } from './counting/connection-meter.ts';
import type { LoadFigures } from './role-load.ts';

/**
 * Connections opened and closed one after the other in as many lanes as there are publishers. In the warm-up they
 * do not count; in the measure phase so many as the Trial asks, or as many as there is time for.
 */
export class HandshakeLoad extends ConnectingLoad {
  #begun = 0;

  figures(): LoadFigures {
    const { connections } = this.options.command.spec;
    const { opened, failed } = this.meter;
    const all = opened + failed >= connections;
    return {
      counters: makeCounters(this.meter.counters()),
      histograms: this.meter.histograms(),
      facts: {
        'workload.ended': all
          ? `all ${connections} connections were made`
          : `the measure phase was over after ${opened} of ${connections} connections`,
      },
      degraded: this.meter.degraded(),
    };
  }

  override snapshot(): LoadSnapshot {
    return { ...super.snapshot(), soFar: this.meter.soFar() };
  }

  protected begun(): number {
    return this.#begun;
  }

  protected begin(_phase: LoadPhase, before: LoadPhase | null): void {
    if (before !== null) return;
    const lanes = Array.from({ length: this.options.command.spec.publishers }, () => this.#runLane());
    this.work = Promise.all(lanes);
  }

  async #runLane(): Promise<void> {
    // The timeline may enter two phases at once; lanes begin when it is through.
    await Promise.resolve();
    while (this.phase !== null && this.phase !== 'drain') {
      const counts = this.phase === 'measure';
      if (counts && this.#begun === this.options.command.spec.connections) return;
      if (counts) this.#begun += 1;
      await this.#makeConnection(counts);
    }
  }

  async #makeConnection(counts: boolean): Promise<void> {
    const { command, clock, connections, onTrouble } = this.options;
    const connection = connections.make();
    try {
      const times = await openTimed(connection, { clock, onTrouble });
      await connections.close(connection);
      if (counts && this.phase === 'measure') {
        this.meter.add(times);
        this.meter.addBytes(connection.transport);
      }
    } catch (error) {
      connections.forget(connection);
      if (counts && this.phase === 'measure') this.meter.fail(error);
    }
    const { opened, failed } = this.meter;
    if (opened + failed === command.spec.connections && this.phase === 'measure') this.enter('drain');
  }
}
