/** Code, message and remedy of a failure. */
export interface FailureReport {
  /** Machine-readable code, for example "disk-full". */
  code: string;
  message: string;
  remedy: string;
}

/**
 * An error that a person can read and act on.
 *
 *     throw new Failure({ code: 'port-taken', message: 'Port 1883 is in use.', remedy: 'Choose another port.' });
 */
export class Failure extends Error implements FailureReport {
  override readonly name: string = 'Failure';
  readonly code: string;
  readonly remedy: string;

  constructor({ code, message, remedy }: FailureReport, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.remedy = remedy;
  }

  /** Returns a plain object, for messages and storage. */
  get report(): FailureReport {
    return { code: this.code, message: this.message, remedy: this.remedy };
  }
}

/** Returns the message of a thrown value of any type. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
