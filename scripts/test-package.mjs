import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { prepare, root, run } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

readArguments({
  usage: `node scripts/test-package.mjs

Packs mqttlab, installs the tarball into an empty folder with an empty npm cache, and runs the tour, a plan with
--start-server and the server from there. Part of npm run test:full.`,
});

/** Installed, without the optional Node binary. */
const mostMegabytes = 60;
/** A plan with a temporary server, in seconds rather than minutes. */
const plan = `name: What does TLS cost?
factors: { security: [plain, tls1.3], qos: 1 }
workload: { kind: stream, warmUp: 200ms, measure: 500ms }
response: wire.perMessage
repetitions: 2
`;

const { node } = prepare();
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
if ((await run(node, ['scripts/package.mjs'])) !== 0) process.exit(1);
const folder = mkdtempSync(join(tmpdir(), 'mqttlab-package-'));
const home = join(folder, 'home');
const global = join(folder, 'global');
const local = join(folder, 'local');
// Nothing from this checkout, the user or the calling npm script.
const foreign = /^(npm_|MQTTLAB_|XDG_|NODE_OPTIONS$|NODE_PATH$|NODE_COMPILE_CACHE$|PORT$|HOST$)/i;
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name))),
  HOME: home,
  npm_config_registry: readSetting('registry'),
  npm_config_cafile: readSetting('cafile'),
  npm_config_cache: join(folder, 'cache'),
  PATH: (process.env.PATH ?? '')
    .split(delimiter)
    .filter((entry) => !entry.includes('node_modules'))
    .join(delimiter),
  // No server answers there, so that the commands start one.
  PORT: '0',
};

try {
  for (const path of [home, local]) mkdirSync(path);
  install(['--global', '--prefix', global]);
  const mqttlab = join(global, 'bin', 'mqttlab');
  expect('its size', sizeOf(join(global, 'lib')) < mostMegabytes);
  expect('--version', call(mqttlab, ['--version']).trim() === `mqttlab ${version}`);
  expect('its own name in the help', call(mqttlab, ['help']).includes('Usage: mqttlab COMMAND'));
  const installed = join(global, 'lib', 'node_modules', 'mqttlab');
  for (const place of ['.', 'dist']) {
    const licences = readFileSync(join(installed, place, 'THIRD-PARTY-LICENCES.txt'), 'utf8');
    expect(
      `licences in ${place}`,
      /^mqtt .*MIT/m.test(licences) && licences.includes('Permission is hereby'),
    );
  }
  expect('the tour', call(mqttlab, ['demo']).includes('/compare?experiments='));
  writeFileSync(join(local, 'plan.yaml'), plan);
  const result = call(mqttlab, ['run', 'plan.yaml', '--start-server']);
  expect('a plan with --start-server', /TLS 1\.3/.test(result));
  expect('data outside the package', existsSync(join(home, '.local', 'share', 'mqttlab')));
  await testServer(mqttlab);
  // npm puts the Node binary next to mqttlab there, not below it.
  install([]);
  const linked = join(local, 'node_modules', '.bin', 'mqttlab');
  expect('--version after a local installation', call(linked, ['--version']).includes(version));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Returns a setting of npm for the network, which the new home folder does not have; empty if it is not set.
 *
 * @param {string} name
 */
function readSetting(name) {
  const value = spawnSync('npm', ['config', 'get', name], { encoding: 'utf8' }).stdout.trim();
  return value === 'null' ? '' : value;
}

/** @param {readonly string[]} place */
function install(place) {
  const tarball = join(root, 'release', `mqttlab-${version}.tgz`);
  call('npm', ['install', ...place, tarball, '--no-audit', '--no-fund', '--loglevel=error']);
}

/**
 * Runs a program and returns its standard output. Ends the test if it fails.
 *
 * @param {string} program
 * @param {readonly string[]} args
 */
function call(program, args) {
  const startedAt = Date.now();
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: local,
    env,
    encoding: 'utf8',
    timeout: 1_200_000,
  });
  const words = args.map((word) => word.replace(`${root}/`, '').replace(folder, 'FOLDER'));
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`${program.split('/').at(-1)} ${words.join(' ')}: ${seconds} s`);
  if (status === 0) return stdout;
  throw new Error(`exit code ${status}\n${stdout}\n${stderr}`);
}

/**
 * @param {string} what
 * @param {boolean} holds
 */
function expect(what, holds) {
  if (!holds) throw new Error(`the package fails in: ${what}`);
  console.log(`ok ${what}`);
}

/**
 * Megabytes of the files in a folder without those of the Node binaries.
 *
 * @param {string} path
 */
function sizeOf(path) {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const bytes = files
    .filter(({ parentPath }) => !/node_modules.node-linux-/.test(parentPath))
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  console.log(`installed without the Node binary: ${(bytes / 1e6).toFixed(1)} MB`);
  return bytes / 1e6;
}

/**
 * Starts the server as the user does, asks for page and documentation, and stops it.
 *
 * @param {string} mqttlab
 */
async function testServer(mqttlab) {
  const server = spawn(mqttlab, ['start'], { cwd: local, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  /** @type {Promise<string>} */
  const ready = new Promise((resolve) => {
    let output = '';
    server.stdout.on('data', (data) => {
      output += data;
      const address = /ready on (\S+)/.exec(output)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
  const address = await Promise.race([ready, ended.then((code) => `exit code ${code}`)]);
  expect(`mqttlab start: ${address}`, address.startsWith('http://127.0.0.1:'));
  try {
    for (const path of ['/', '/docs/', '/docs/api/index.html']) {
      expect(path, (await fetch(address + path)).ok);
    }
    const tutorial = await (await fetch(`${address}/docs/tutorial.html`)).text();
    const words = tutorial.replaceAll(/<[^>]*>/g, '');
    expect('commands of the package in the documentation', /mqttlab run first\.yaml/.test(words));
    expect('no command of a clone', !words.includes('npm run mqttlab -- '));
  } finally {
    server.kill('SIGTERM');
  }
  expect('a stop on SIGTERM', (await ended) === 0);
}
