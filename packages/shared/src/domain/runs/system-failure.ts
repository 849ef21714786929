/** A failure for a system error that the user can fix. */
export interface SystemFailure {
  code: string;
  message: string;
  remedy: string;
}

const retry = 'then retry the run.';

/** Failures by errno(3) name; connection errors are reported by the connecting code. */
const known: Readonly<Record<string, SystemFailure>> = {
  ENOSPC: { code: 'disk-full', message: 'The disk is full.', remedy: `Free some disk space, ${retry}` },
  EDQUOT: {
    code: 'disk-full',
    message: 'The user’s disk quota is exhausted.',
    remedy: `Raise the quota or free some space, ${retry}`,
  },
  EROFS: {
    code: 'disk-read-only',
    message: 'The disk is read-only.',
    remedy: `Check the disk (a worn SD card is mounted read-only) and remount it for writing, ${retry}`,
  },
  EIO: {
    code: 'disk-error',
    message: 'Reading or writing the disk failed.',
    remedy: `Check the disk, ${retry}`,
  },
  EMFILE: {
    code: 'too-many-files',
    message: 'The process has reached its limit of open files and connections.',
    remedy: `Raise the limit of open files (ulimit -n, or LimitNOFILE in the service), ${retry}`,
  },
  ENFILE: {
    code: 'too-many-files',
    message: 'The machine has reached its limit of open files and connections.',
    remedy: `Raise fs.file-max or close other programs, ${retry}`,
  },
  ENOMEM: {
    code: 'out-of-memory',
    message: 'The machine has no memory left.',
    remedy: `Close other programs or use fewer connections, ${retry}`,
  },
};

/** Converts a system error to a failure that includes its message; returns null for other errors. */
export function systemFailureOf(error: unknown): SystemFailure | null {
  const failure = known[systemCodeOf(error) ?? ''];
  return failure ? { ...failure, message: `${failure.message} (${(error as Error).message})` } : null;
}

/** Returns the code of a system error, such as "ENOENT", or null. */
export function systemCodeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
