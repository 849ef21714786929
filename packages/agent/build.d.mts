/** Bundles the agent with its child modes into one file; returns its path. */
export function buildAgent(options?: { outfile?: string }): Promise<string>;
