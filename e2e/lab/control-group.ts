import { existsSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Control group hierarchy of systemd in a container: unified, or next to the legacy named one. */
const hierarchies = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup/systemd', '/sys/fs/cgroup'];

function mountedHierarchies(): string[] {
  return hierarchies.filter((folder) => existsSync(join(folder, 'cgroup.procs')));
}

function groupName(lab: string): string {
  return `mqttlab-${lab}`;
}

/** Shell commands that move the shell into a separate control group, because two systemds cannot share one. */
export function enterGroup(lab: string, device: string): string {
  return mountedHierarchies()
    .map((folder) => join(folder, groupName(lab), device))
    .map((group) => `mkdir -p ${group} && echo $$ > ${group}/cgroup.procs;`)
    .join(' ');
}

/** Removes the groups of a lab, or of one device; their processes have ended. */
export async function removeGroups(lab: string, device = ''): Promise<void> {
  for (const folder of mountedHierarchies()) {
    const group = join(folder, groupName(lab), device);
    // The kernel releases the last process shortly after its exit.
    for (let attempt = 0; existsSync(group) && attempt < 100; attempt += 1) {
      if (!removeTree(group)) await wait(50);
    }
  }
}

function removeTree(group: string): boolean {
  try {
    for (const name of readdirSync(group)) {
      const path = join(group, name);
      if (statSync(path).isDirectory()) removeTree(path);
    }
    rmdirSync(group);
    return true;
  } catch {
    return false;
  }
}
