type Step = () => unknown;

/**
 * Takes every step of a shutdown, one after the other, whatever becomes of those before. Rejects at the end with the
 * first error; the others are passed to `onError`.
 */
export async function runAllSteps(steps: readonly Step[], onError: (error: unknown) => void): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  for (const error of errors.slice(1)) onError(error);
  if (errors.length > 0) throw errors[0];
}
