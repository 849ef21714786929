import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * Adds a folder that `rm` cannot remove: a mount point (EBUSY) for root, a read-only folder (EACCES) for other users.
 * Returns a function that makes it removable again, which also runs at the end of the test.
 */
export function addUnremovableFolder(parent: string): () => void {
  const path = join(parent, 'unremovable');
  mkdirSync(path, { recursive: true });
  let isUnremovable = true;
  const release = makeUnremovable(path);
  const releaseOnce = (): void => {
    if (isUnremovable) release();
    isUnremovable = false;
  };
  onTestFinished(releaseOnce);
  return releaseOnce;
}

function makeUnremovable(path: string): () => void {
  if (process.getuid?.() === 0) {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path], { stdio: 'pipe' });
      return () => void execFileSync('umount', [path]);
    } catch {
      // Containers often forbid mounts; nothing else keeps a folder from root.
      throw new Error('root needs the permission to mount a tmpfs for this test');
    }
  }
  writeFileSync(join(path, 'file'), '');
  chmodSync(path, 0o500);
  return () => chmodSync(path, 0o700);
}
