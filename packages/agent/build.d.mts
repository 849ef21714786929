/** Bundles the agent with its child modes into one file. Returns its path and the paths of the modules in it. */
export function buildAgent(options?: { outfile?: string }): Promise<{ outfile: string; modules: string[] }>;
