/** Result of a computation, or null where it refuses its input with a RangeError (as for undefined cases). */
export function attempt<T>(compute: () => T): T | null {
  try {
    return compute();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
