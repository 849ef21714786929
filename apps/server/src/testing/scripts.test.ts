import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProject } from '../base/config.ts';

const root = findProject().root;
const all = readdirSync(join(root, 'scripts')).filter((name) => name.endsWith('.mjs'));
const isScript = (name: string) => !/^export /m.test(readFileSync(join(root, 'scripts', name), 'utf8'));
/** Scripts that pass their arguments to a program with its own error messages. */
const handOn = ['mqttlab.mjs', 'demo.mjs'];
/** Scripts that accept any number of files. */
const manyFiles = ['golden.mjs'];
const scripts = [...all.filter(isScript), 'build.mjs'].filter((name) => name !== 'mqttlab.mjs');

function call(name: string, ...args: string[]) {
  const how = { encoding: 'utf8', timeout: 240_000, cwd: root } as const;
  return spawnSync(process.execPath, [join('scripts', name), ...args], how);
}

describe.each(scripts)('scripts/%s', (name) => {
  it('has a help option that does nothing else', () => {
    const { status, stdout, stderr } = call(name, '--help');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: (npm|node) \S+.*\n\n.*\w/s);
  });

  it.skipIf(handOn.includes(name))('refuses unknown arguments', () => {
    const words = manyFiles.includes(name) ? [] : [['one', 'two', 'three']];
    for (const unknown of [['--no-such-option'], ...words]) {
      const { status, stdout, stderr } = call(name, ...unknown);
      expect([name, unknown, status, stdout]).toEqual([name, unknown, 2, '']);
      expect(stderr).toMatch(/^(Unknown option|Unexpected argument|Option) .*\nUsage: /);
    }
  });
});

it.each(all.filter(isScript))('scripts/%s loads packages only after it has installed them', (name) => {
  const clone = mkdtempSync(join(tmpdir(), 'mqttlab-scripts-'));
  for (const path of ['scripts', 'package.json', 'packages/agent/build.mjs']) {
    cpSync(join(root, path), join(clone, path), { recursive: true });
  }
  const { stderr } = spawnSync(process.execPath, [join('scripts', name), '--help'], {
    encoding: 'utf8',
    cwd: clone,
  });
  expect(stderr).not.toContain('ERR_MODULE_NOT_FOUND');
  rmSync(clone, { recursive: true });
});

it('npm run structure works with the Node on the PATH, which may be older than the Node of the project', () => {
  const how = { encoding: 'utf8', cwd: root } as const;
  const { status, stdout, stderr } = spawnSync('node', ['scripts/structure.mjs', '--json'], how);
  expect([status, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ total: { files: expect.any(Number) } });
});

it('the help has a short option, and a value is refused like its option', () => {
  expect(call('build.mjs', '-h').stdout).toBe(call('build.mjs', '--help').stdout);
  expect(call('build.mjs', '--json=yes', 'x')).toMatchObject({ status: 2, stdout: '' });
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  'a script that gets %s ends the programs that it runs, and starts none of the next ones',
  async (signal) => {
    // Ends by itself, so that a program that was left running fails the test instead of blocking it.
    const program = 'console.log(process.pid); setTimeout(() => {}, 60_000)';
    const script = `import { run } from './scripts/project.mjs';
    const start = () => run(process.execPath, ['-e', ${JSON.stringify(program)}]);
    await Promise.all([0, 1].map(async () => [await start(), await start()]));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    const pids = () => output.split('\n').filter(Boolean).map(Number);
    await expect.poll(pids).toHaveLength(2);
    child.kill(signal);
    const [code] = await once(child, 'close');
    expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(pids()).toHaveLength(2);
    expect(pids().map((pid) => existsSync(`/proc/${pid}`))).toEqual([false, false]);
  },
);

/** Value for a placeholder of a usage text, such as N or FILE. */
const sampleOf = (placeholder: string) => (placeholder === 'N' ? '1' : placeholder.toLowerCase());

/** Options that a usage text names, each as arguments: ["--seed", "1"]. */
function optionsIn(usage: string): string[][] {
  const found = [...usage.matchAll(/(?<![\w-])(--?[a-z][\w-]*)(?: ([A-Z]{1,}\b))?/g)];
  return found.map(([, flag = '', placeholder]) => [flag, ...(placeholder ? [sampleOf(placeholder)] : [])]);
}

describe.each(scripts.filter((name) => !handOn.includes(name)))('the usage of scripts/%s', (name) => {
  it('names options and arguments that it accepts', () => {
    const usage = /^Usage: (.+)$/m.exec(call(name, '--help').stdout)?.[1] ?? '';
    const options = optionsIn(usage.replace(/^npm run \S+ (\[?-- )?/, ''));
    const words = [...usage.matchAll(/ \[?-- (?:\[)?(FILE|[A-Z]+\.zip|up)/g)].map(([, word = '']) => word);
    const all = [...options.flat(), ...words, ...(usage.includes('...') ? words : [])];
    // With --help a script checks its arguments and does nothing else.
    const { status, stderr } = call(name, ...all, '--help');
    expect([name, all, status, stderr]).toEqual([name, all, 0, '']);
  });
});

describe('commands in the documentation', () => {
  const files = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.yaml', 'docker/**/*.{md,yaml}'], {
    cwd: root,
  });
  const { scripts: named } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const found = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/npm run ([\w:-]+) -- ([^`\n#|()"<>]+)/g)].map(
      ([, script = '', rest = '']) => ({ file, script, rest: rest.trim() }),
    ),
  );
  // "npm run mqttlab" has a test beside the command line.
  const own = found.filter(({ script }) => script !== 'mqttlab' && named[script]?.includes('scripts/'));
  it.each(own)('$file: npm run $script -- $rest', ({ script, rest }) => {
    const file = /scripts\/(\S+)/.exec(named[script])?.[1] ?? '';
    const args = rest.split(/\s+/).map((word) => (word === 'N' ? '1' : word));
    const { status, stderr } = call(file, ...args, '--help');
    expect([status, stderr]).toEqual([0, '']);
  });
});

describe('release', () => {
  it('--dry-run lists every file that it would change and changes none', () => {
    const clone = mkdtempSync(join(tmpdir(), 'mqttlab-release-'));
    const git = (...args: string[]) => {
      const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
      const { status, stdout, stderr } = spawnSync('git', [...author, ...args], {
        cwd: clone,
        encoding: 'utf8',
      });
      expect([args[0], status, stderr]).toEqual([args[0], 0, '']);
      return stdout;
    };
    try {
      git('clone', '--quiet', root, '.');
      for (const path of ['scripts', 'CHANGELOG.md', 'CITATION.cff']) {
        cpSync(join(root, path), join(clone, path), { recursive: true });
      }
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '--message', 'Present state');
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['scripts/release.mjs', '99.0.0', '--dry-run'],
        { cwd: clone, encoding: 'utf8' },
      );
      expect([status, stderr]).toEqual([0, '']);
      for (const path of ['package.json', 'package-lock.json', 'CHANGELOG.md', 'CITATION.cff']) {
        expect(stdout).toContain(`  ${path}\n`);
      }
      expect(git('status', '--porcelain')).toBe('');
    } finally {
      rmSync(clone, { recursive: true, force: true });
    }
  });
});

describe('files that state the address of the repository', () => {
  const write = (address: string): Record<string, string> => {
    const script = `import { writeAddresses } from './scripts/write-addresses.mjs';
    console.log(JSON.stringify(writeAddresses(${JSON.stringify(address)})));`;
    const options = { cwd: root, encoding: 'utf8' } as const;
    return JSON.parse(spawnSync(process.execPath, ['--input-type=module', '-e', script], options).stdout);
  };

  it('have no badge and no address while it is empty', () => {
    const { 'README.md': readme, 'CITATION.cff': citation } = write('');
    expect(readme).toContain('<!-- badges --><!-- /badges -->');
    expect(citation).not.toContain('repository-code');
  });

  it('have badges and the address of a GitHub repository', () => {
    const { 'README.md': readme, 'CITATION.cff': citation } = write('https://github.com/owner/name');
    expect(readme).toContain('https://github.com/owner/name/actions/workflows/ci.yaml/badge.svg');
    expect(citation).toMatch(/^repository-code: https:\/\/github\.com\/owner\/name$/m);
  });

  it('have no badge for a host that serves them at other addresses', () => {
    const { 'README.md': readme, 'CITATION.cff': citation } = write('https://git.example.org/name');
    expect(readme).toContain('<!-- badges --><!-- /badges -->');
    expect(citation).toContain('repository-code: https://git.example.org/name\n');
  });
});

it('golden checks the given files', () => {
  const vectors = 'packages/shared/golden/golden-positive.json';
  const { status, stdout, stderr } = call('golden.mjs', vectors, vectors);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^[1-9]\d* passed, 0 failed$/m);
});

it('every script of package.json is tested', () => {
  const { scripts: named } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = Object.values<string>(named).flatMap((line) => /scripts\/(\S+)/.exec(line)?.[1] ?? []);
  expect(files.filter((file) => ![...scripts, 'mqttlab.mjs'].includes(file))).toEqual([]);
});
