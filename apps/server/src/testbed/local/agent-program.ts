import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** How an agent is started: `execPath ...args <options>`. */
export interface AgentProgram {
  execPath: string;
  args: readonly string[];
}

/** Ends a child whose parent died, even by SIGKILL: then the channel between them closes. */
const endWithParent = "process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))";

/** Beside this file in the bundle; in the source tree the agent's own package, unless it was built elsewhere. */
export function findAgentProgram(built?: string): AgentProgram {
  const bundled = fileURLToPath(new URL('./agent.mjs', import.meta.url));
  const source = fileURLToPath(new URL('../../../../../packages/agent/src/main.ts', import.meta.url));
  return {
    execPath: process.execPath,
    args: [
      '--disable-warning=ExperimentalWarning',
      `--import=data:text/javascript,${encodeURIComponent(endWithParent)}`,
      built ?? (existsSync(bundled) ? bundled : source),
    ],
  };
}
