import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const { values } = readArguments({
  usage: `npm run test:kubernetes [-- --write]

Holds the Helm chart against helm lint, and what it renders against the schemas of Kubernetes (kubeconform); says whether
the plain manifests are what the chart renders. Builds helm and kubeconform with Go, once: several minutes.

  --write  makes the plain manifests anew`,
  options: { write: { type: 'boolean', default: false } },
});

const cache = join(root, 'node_modules', '.cache', 'kubernetes');
const chart = join(root, 'docker', 'helm', 'mqttlab');
const manifests = join(root, 'docker', 'kubernetes', 'mqttlab.yaml');
const version = '1.33.0';
const programs = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.18.6',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7',
};
// Schemas of Kubernetes as a package; the same that the project publishes.
const schemas = 'kubernetes-validate==1.37.0';
const kinds = [
  'service-v1',
  'statefulset-apps-v1',
  'deployment-apps-v1',
  'daemonset-apps-v1',
  '_definitions',
];
const variants = [
  [],
  [
    '--set',
    'pools[0].name=load,pools[0].kind=DaemonSet,server.hostnames={lab.example},server.storageClassName=fast',
  ],
];

/**
 * What the program says; ends this process with its words where it fails.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} [options]
 * @returns {string}
 */
function call(program, args, options = {}) {
  const done = spawnSync(program, args, { encoding: 'utf8', cwd: root, ...options });
  if (done.status === 0) return String(done.stdout);
  console.error(
    `mqttlab: ${program} ${args.join(' ')}\n${done.error?.message ?? `${done.stdout}${done.stderr}`}`,
  );
  process.exit(1);
}

/**
 * Returns the program from PATH, otherwise builds it once.
 *
 * @param {keyof typeof programs} name
 */
function find(name) {
  const own = join(cache, name);
  if (existsSync(own)) return own;
  if (spawnSync(name, ['version']).error === undefined) return name;
  console.log(`Building ${name} ...`);
  call('go', ['install', programs[name]], { env: { ...process.env, GOBIN: cache } });
  return own;
}

function fetchSchemas() {
  const folder = join(cache, `schemas-${version}`);
  if (existsSync(join(folder, '_definitions.json'))) return folder;
  mkdirSync(folder, { recursive: true });
  call('python3', ['-m', 'pip', 'download', '--no-deps', '-q', '-d', cache, schemas]);
  const wheel = join(cache, 'kubernetes_validate-1.37.0-py3-none-any.whl');
  const inside = `kubernetes_validate/kubernetes-json-schema/v${version}-local-strict`;
  for (const kind of kinds) {
    const script =
      'import sys,zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))';
    const text = call('python3', ['-c', script, wheel, `${inside}/${kind}.json`], { maxBuffer: 1e8 });
    const here = text.replaceAll('"/api/_definitions.json', `"file://${folder}/_definitions.json`);
    writeFileSync(join(folder, `${kind}.json`), here);
  }
  return folder;
}

mkdirSync(cache, { recursive: true });
const helm = find('helm');
const kubeconform = find('kubeconform');
const location = join(fetchSchemas(), '{{.ResourceKind}}{{.KindSuffix}}.json');
call(helm, ['lint', '--strict', chart]);
const rendered = variants.map((set) =>
  call(helm, ['template', 'mqttlab', chart, '--kube-version', version, ...set]),
);
for (const input of rendered) {
  console.log(
    call(kubeconform, ['-strict', '-summary', '-schema-location', location, '-'], { input }).trim(),
  );
}
// That it would find something.
const broken = (rendered[0] ?? '').replace('serviceName:', 'serviceNam:');
const found = spawnSync(kubeconform, ['-strict', '-schema-location', location, '-'], { input: broken });
const [usual] = rendered;
if (values.write) writeFileSync(manifests, usual ?? '');
const isSame = readFileSync(manifests, 'utf8') === usual;
if (found.status === 0) console.error('kubeconform took a field that does not exist.');
if (!isSame)
  console.error(
    'docker/kubernetes/mqttlab.yaml is not what the chart renders: npm run test:kubernetes -- --write',
  );
console.log(
  `${rendered.length + 3} checks of the chart, ${isSame && found.status !== 0 ? 'all passed' : 'failed'}`,
);
process.exit(isSame && found.status !== 0 ? 0 : 1);
