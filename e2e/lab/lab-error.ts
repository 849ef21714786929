/** An error that the user of the lab can fix. */
export class LabError extends Error {
  constructor(what: string, remedy: string) {
    super(`${what} ${remedy}`);
    this.name = 'LabError';
  }
}
