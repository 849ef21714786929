import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const imageBytes = 32 * 1024 * 1024;

/** A separate disk in a file, mounted as ext4: unsynced data is not in the file. */
export class LoopDisk {
  readonly #folder = mkdtempSync(join(tmpdir(), 'mqttlab-disk-'));
  readonly #mounts: string[] = [];

  /** Mount point. Throws if this user may not mount. */
  make(): string {
    const image = join(this.#folder, 'disk.img');
    writeFileSync(image, '');
    truncateSync(image, imageBytes);
    execFileSync('mkfs.ext4', ['-q', image]);
    return this.#mount(image);
  }

  /** Mounts a second disk with the content that a power cut at this moment would leave. */
  asAfterPowerCut(): string {
    const copy = join(this.#folder, `cut-${this.#mounts.length}.img`);
    copyFileSync(join(this.#folder, 'disk.img'), copy);
    return this.#mount(copy);
  }

  remove(): void {
    for (const mount of this.#mounts.splice(0)) execFileSync('umount', [mount]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #mount(image: string): string {
    const folder = `${image}.mounted`;
    mkdirSync(folder);
    execFileSync('mount', ['-o', 'loop', image, folder], { stdio: 'pipe' });
    this.#mounts.push(folder);
    return folder;
  }
}

export function canMountLoop(): boolean {
  const disk = new LoopDisk();
  try {
    disk.make();
    return true;
  } catch {
    return false;
  } finally {
    disk.remove();
  }
}
