/** fast-check with a fixed seed, so that a property test gives the same answer every time. */
import fc from 'fast-check';

/** Set PROPERTY_SEED to try other values. */
const { process } = globalThis as { process?: { env: Record<string, string | undefined> } };
fc.configureGlobal({ seed: Number(process?.env.PROPERTY_SEED ?? 1) });

export { fc };
