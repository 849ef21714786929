import { readdirSync, readFileSync } from 'node:fs';
import { tryProgram } from './run-program.ts';

/**
 * Comparable state of this machine that a lab could affect. `lab`: excludes objects with the name of
 * another lab, which may change meanwhile.
 */
export async function readMachineState(lab?: string): Promise<Record<string, string[]>> {
  const state = await readEverything();
  if (lab === undefined) return state;
  const isOther = (line: string): boolean => {
    const name = /(?:mqttlab-|mql-|labs\/)([a-z0-9]+)/.exec(line)?.[1];
    return name !== undefined && name !== lab;
  };
  return Object.fromEntries(
    Object.entries(state).map(([what, lines]) => [what, lines.filter((line) => !isOther(line))]),
  );
}

async function readEverything(): Promise<Record<string, string[]>> {
  const read = async (program: string, args: readonly string[]): Promise<string[]> => {
    const { code, output, words } = await tryProgram(program, args);
    if (code !== 0) throw new Error(`${program}: ${words}`);
    return output.split('\n').filter((line) => line !== '');
  };
  return {
    namespaces: (await read('ip', ['netns'])).map((line) => line.split(' ')[0] ?? '').sort(),
    interfaces: (await read('ip', ['-o', 'link'])).map((line) => line.split(':')[1]?.trim() ?? '').sort(),
    addresses: (await read('ip', ['-4', '-o', 'address'])).map((line) => line.replace(/^\d+:\s+/, '')),
    routes: await read('ip', ['-4', 'route', 'show', 'table', 'all']),
    rules: await read('nft', ['list', 'ruleset']),
    qdiscs: (await read('tc', ['qdisc'])).filter((line) => !line.includes('noqueue')),
    mounts: labMounts(),
    processes: labProcesses(),
    groups: labGroups(),
  };
}

function labMounts(): string[] {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .filter((line) => line.includes('mqttlab'));
}

/** Processes in the group of a lab or from its programs. Zombies have no command line. */
function labProcesses(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const group = readOr(`/proc/${pid}/cgroup`);
      const command = readOr(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
      const ours =
        group.includes('mqttlab-') || /^systemd-nspawn|^\/lib\/systemd\/systemd|sshd/.test(command);
      const lab = /mqttlab-[a-z0-9]+/.exec(group)?.[0] ?? 'no lab';
      return ours && command !== '' ? [`${lab}: ${command}`] : [];
    })
    .sort();
}

function labGroups(): string[] {
  return ['/sys/fs/cgroup', '/sys/fs/cgroup/unified', '/sys/fs/cgroup/systemd'].flatMap((folder) => {
    try {
      return readdirSync(folder).filter((name) => name.startsWith('mqttlab-'));
    } catch {
      return [];
    }
  });
}

/** A process may have ended since it was listed. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
