import { WarmUpTraffic, type WarmUpTrafficOptions } from './warm-up-traffic.ts';

/** Enough repetitions for V8 to have compiled the way of a message to its best. */
const messages = 6_000;
/** Fast, but slow enough that each message is a write of its own, as at the rates of a Trial. */
const hurriedPerSecond = 20_000;
/** What a quiet load lacks to be compiled within a short warm-up; a busier one has it of its own. */
const besidePerSecond = 1_500;
/** A shorter warm-up has no room for it. */
const minWarmUpMs = 300;
/** Everything is over and collected so long before the measure phase, µs. */
const settleUs = 150_000;

/**
 * Sends or receives some thousand messages within this process before the first one that counts. Without it the
 * CPU time of a message halves in the course of the first seconds, and the first repetitions pay for the compiler.
 */
export async function rehearseTraffic(options: WarmUpTrafficOptions): Promise<void> {
  const traffic = new WarmUpTraffic(options, hurriedPerSecond);
  try {
    await traffic.open();
    await traffic.take(messages);
  } finally {
    await traffic.close();
  }
}

/**
 * The code of real connections and of long waits is compiled when it has run some hundred times: at 200 messages/s
 * after two seconds, in which the process takes five times its CPU. Where messages are that few, others go beside
 * them during the warm-up, to nobody. null where there is no need.
 */
export class BesideTraffic {
  readonly #traffic: WarmUpTraffic;

  private constructor(traffic: WarmUpTraffic) {
    this.#traffic = traffic;
  }

  static async open(options: WarmUpTrafficOptions): Promise<BesideTraffic | null> {
    const { readingsPerSecond, readingsPerMessage, publishers, warmUpMs } = options.command.spec;
    if (readingsPerSecond === null || warmUpMs < minWarmUpMs) return null;
    if ((readingsPerSecond / readingsPerMessage) * publishers > besidePerSecond) return null;
    const traffic = new WarmUpTraffic(options, besidePerSecond);
    try {
      return new BesideTraffic(await traffic.open());
    } catch (error) {
      await traffic.close();
      throw error;
    }
  }

  /** From now on until shortly before the measure phase (local clock, µs). Never rejects. */
  async play(measureAtUs: number): Promise<void> {
    try {
      await this.#traffic.goOnUntil(measureAtUs - settleUs);
    } catch {
      // What is not compiled by then shows in the verdict on the warm-up.
    }
    await this.close();
  }

  close(): Promise<void> {
    return this.#traffic.close();
  }
}
