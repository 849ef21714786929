import { createReadStream } from 'node:fs';
import { type Administrator, diskFull } from './elevate.ts';
import type { TravelFile } from './runtime-files.ts';

const copyTimeoutMs = 600_000;
/** What must stay free for results, beside the file. */
const spareBytes = 30_000_000;

const checkScript = `
if [ -f "$1" ] && [ "$(sha256sum < "$1")" = "$2  -" ]; then echo same; else echo other; fi
mkdir -p "\${1%/*}"
df -Pk "\${1%/*}" | awk 'NR == 2 { print $4 * 1024 }'
`;

/** Under another name until it is known to be whole; a copy that breaks off leaves nothing. */
const copyScript = `
set -eu
umask 022
part="$1.part"
trap 'rm -f "$part"' EXIT
gzip -dc > "$part"
[ "$(sha256sum < "$part")" = "$2  -" ] || { echo "the copy differs from what was sent" >&2; exit 1; }
chmod "$3" "$part"
chown root:root "$part"
mv -f "$part" "$1"
`;

/**
 * Puts a file of root's on the device unless one with this checksum is there already; the checksum is taken on the
 * device, from what its disk then holds. False where nothing had to be copied. Rejects with DeviceError.
 */
export async function copyFile(
  administrator: Administrator,
  file: TravelFile,
  target: { path: string; mode: '0755' | '0644' },
): Promise<boolean> {
  const { stdout } = await administrator.run(['sh', '-c', checkScript, 'check', target.path, file.sha256]);
  const [state, free] = stdout.trim().split('\n');
  if (state === 'same') return false;
  if (Number(free) < file.bytes + spareBytes) {
    const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
    throw diskFull(
      `${target.path} needs ${megabytes(file.bytes + spareBytes)}, ${megabytes(Number(free))} are free`,
    );
  }
  await administrator.run(['sh', '-c', copyScript, 'copy', target.path, file.sha256, target.mode], {
    input: createReadStream(file.packedPath),
    timeoutMs: copyTimeoutMs,
  });
  return true;
}
