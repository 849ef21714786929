import { within } from '@mqttlab/shared/kit/waiting';
import { loadFailure } from '../base/load-failures.ts';
import { Connection, type ConnectionOptions } from '../mqtt/connection.ts';
import { WarmUpTraffic, type WarmUpTrafficOptions } from './warm-up-traffic.ts';

const rounds = 3;
const timeoutMs = 3_000;

/**
 * Sets a connection up and down a few times before the one that counts: a program's first handshake also loads
 * and compiles the code for it, which costs several times the handshake. Never rejects: what is wrong with the
 * broker shows, under its right name, when the real connections are opened.
 */
export async function rehearse(
  makeOptions: () => Omit<ConnectionOptions, 'onLost'>,
  subscribes: boolean,
): Promise<void> {
  const play = async (connection: Connection): Promise<void> => {
    await connection.open();
    if (subscribes) await connection.subscribe();
    await connection.close();
  };
  const deadlineMs = performance.now() + timeoutMs;
  for (let round = 0; round < rounds; round += 1) {
    const connection = new Connection({ ...makeOptions(), onLost: () => {} });
    try {
      const tooLong = () => loadFailure('timeout', 'The rehearsal took too long.');
      await within(deadlineMs - performance.now(), tooLong, play(connection));
    } catch {
      return;
    } finally {
      connection.transport.destroy();
    }
  }
}

/** Enough repetitions for V8 to have compiled the way of a message to its best. */
const messages = 6_000;
/** Fast, but slow enough that each message is a write of its own, as at the rates of a Trial. */
const hurriedPerSecond = 20_000;
/** What a quiet load lacks to be compiled within a short warm-up; a busier one has it of its own. */
const besidePerSecond = 1_500;
/** A shorter warm-up has no room for it. */
const minWarmUpMs = 300;

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
export async function openBesideTraffic(options: WarmUpTrafficOptions): Promise<WarmUpTraffic | null> {
  const { readingsPerSecond, readingsPerMessage, publishers, warmUpMs } = options.command.spec;
  if (readingsPerSecond === null || warmUpMs < minWarmUpMs) return null;
  if ((readingsPerSecond / readingsPerMessage) * publishers > besidePerSecond) return null;
  const traffic = new WarmUpTraffic(options, besidePerSecond);
  try {
    await traffic.open();
    return traffic;
  } catch (error) {
    await traffic.close();
    throw error;
  }
}
