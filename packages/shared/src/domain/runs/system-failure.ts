/** A system error that a person can put right, as a failure without its place. */
export interface SystemFailure {
  code: string;
  message: string;
  remedy: string;
}

const retry = 'then retry the run.';

/** errno(3) names; connection errors are told by whoever connects. */
const known: Readonly<Record<string, SystemFailure>> = {
  ENOSPC: { code: 'disk-full', message: 'The disk is full.', remedy: `Free some space on it, ${retry}` },
  EDQUOT: {
    code: 'disk-full',
    message: 'The disk quota of the user is used up.',
    remedy: `Raise the quota or free some space, ${retry}`,
  },
  EROFS: {
    code: 'disk-read-only',
    message: 'The disk can only be read.',
    remedy: `Check the disk (a worn SD card is mounted like this) and mount it for writing, ${retry}`,
  },
  EIO: {
    code: 'disk-error',
    message: 'Reading or writing the disk failed.',
    remedy: `Check the disk, ${retry}`,
  },
  EMFILE: {
    code: 'too-many-files',
    message: 'The process may open no more files or connections.',
    remedy: `Raise the limit of open files (ulimit -n, or LimitNOFILE of the service), ${retry}`,
  },
  ENFILE: {
    code: 'too-many-files',
    message: 'The machine may open no more files or connections.',
    remedy: `Raise fs.file-max or end other programs, ${retry}`,
  },
  ENOMEM: {
    code: 'out-of-memory',
    message: 'The machine has no memory left.',
    remedy: `End other programs or use fewer connections, ${retry}`,
  },
};

/** The failure that a system error means, with the error's own words; null for all other errors. */
export function systemFailureOf(error: unknown): SystemFailure | null {
  const failure = known[systemCodeOf(error) ?? ''];
  return failure ? { ...failure, message: `${failure.message} (${(error as Error).message})` } : null;
}

/** The code of a system error such as "ENOENT", or null. */
export function systemCodeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
