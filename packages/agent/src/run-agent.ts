import { reasonOf } from '@mqttlab/shared/kit/failure';
import { Agent } from './agent.ts';
import { type AgentOptions, parseAgentOptions, usage } from './agent-options.ts';
import type { ProgramEntry } from './brokers/broker.ts';
import { usualTiming } from './server/server-link.ts';

const serverLossMs = 30_000;
/** As long as the server waits for an agent that it stops. */
const patienceMs = 5_000;

/** Runs the agent until SIGTERM or SIGINT; exits with 2 when the options are wrong, with 1 when it cannot start. */
export async function runAgent(args: readonly string[], entry: ProgramEntry): Promise<void> {
  const options = readOptions(args);
  // Brokers, load and clients are started from here, and none of them speaks to the server.
  delete process.env.MQTTLAB_AGENT_TOKEN;
  delete process.env.MQTTLAB_ENROL_TOKEN;
  process.title = `mqttlab-agent ${options.name}`;
  const agent = new Agent({ ...options, entry, timing: { ...usualTiming, serverLossMs }, onLog: writeLog });
  const stop = () => {
    agent.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  // Last resort: background work that fails must not end a device that may be in the middle of a run.
  process.on('unhandledRejection', (error) => writeLog('error', reasonOf(error)));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // Of a server that is gone: its next life brings agents of its own, for which this one makes room in bounded time.
  const makeRoom = () => {
    setTimeout(() => process.exit(1), patienceMs);
    stop();
  };
  process.once('disconnect', makeRoom);
  process.stderr.once('error', makeRoom).on('error', () => {});
  try {
    await agent.start();
  } catch (error) {
    writeLog('error', reasonOf(error));
    process.exit(1);
  }
}

function readOptions(args: readonly string[]): AgentOptions {
  try {
    return parseAgentOptions(args, process.env);
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n\n${usage}`);
    process.exit(2);
  }
}

/** One line on stderr: systemd and the container runtime add nothing that is missing. */
function writeLog(level: string, text: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level} ${text}\n`);
}
