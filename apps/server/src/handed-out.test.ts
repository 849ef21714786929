import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { externalDeviceSchema } from '@mqttlab/shared/domain/devices/external-device';
import { endpoints } from '@mqttlab/shared/messages/api';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { findProject, parseConfig } from './base/config.ts';
import { issueAgentToken } from './devices/agent-tokens.ts';
import { openZip } from './exchange/read-zip.ts';
import { makeCertificates } from './provisioning/certificates.ts';
import { findPemBlocks } from './provisioning/issuer.ts';
import { type RunningServer, startServer } from './server.ts';
import { writeBackup } from './store/backup.ts';
import { openDataFolder } from './store/data-folder.ts';
import { makeStores } from './store/stores.ts';
import { findSecrets, type Secrets } from './testing/secret-scan.ts';
import { playExperiment } from './testing/stores-factory.ts';

/** Secrets that the test chooses itself. */
const chosen = {
  'administrator token': 'administrator-token-0123456789abcdef',
  'password of an account': 'horse battery staple 1',
  'password of the broker': 'pass of the broker 1',
  'secret of a webhook': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'password of a share': 'share password 1',
  'key log': `CLIENT_RANDOM ${'5ec2e700'.repeat(8)} ${'c0ffee11'.repeat(12)}`,
  'passphrase of the backup': 'passphrase of the backup 1',
};

/** Routes that return a secret on purpose, and to whom. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'administrator GET /testbeds/{id}/external-device': [
    'password of a device without an agent',
    'payload key of a device without an agent',
    'a private key',
  ],
  'administrator GET /runs/{id}/keys.log': ['key log'],
  'administrator GET /experiments/{id}/bundle.zip?packets=captures%20and%20keys': ['key log'],
};

interface Piece {
  /** Its source: "administrator GET /devices". */
  what: string;
  content: string | Buffer;
}

/** A server with every kind of secret, and all its outputs. */
class Lab {
  readonly secrets: Record<string, string | Buffer> = { ...chosen };
  readonly printed: string[] = [];
  readonly #ids: Record<string, string> = {};
  #folder = '';
  #app: RunningServer | null = null;
  #viewerToken = '';
  #shareToken = '';

  async start(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'mqttlab-handed-out-'));
    const data = join(this.#folder, 'data');
    await this.#fill(data);
    const config = parseConfig(
      {
        PORT: '0',
        HOST: '0.0.0.0',
        LOG_LEVEL: 'trace',
        MQTTLAB_DATA: data,
        MQTTLAB_ADMIN_TOKEN: chosen['administrator token'],
      },
      findProject(),
    );
    const logger = pino({ level: 'trace' }, { write: (line: string) => void this.printed.push(line) });
    const localAgents = {
      start: () => {},
      moveTo: () => {},
      stop: async () => {},
      wake: () => {},
      pidOf: () => null,
    };
    this.#app = await startServer(config, { localAgents, logger, readyMs: 10 });
    this.printed.push(...this.#app.messages);
    await this.#makeOverHttp();
    this.#readKeyFiles(data);
  }

  async stop(): Promise<void> {
    await this.#app?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Puts a secret into the name of an experiment, as a user might by mistake. */
  async plant(name: string): Promise<void> {
    await this.#send('PATCH', `/experiments/${this.#ids.experiments}`, { name });
  }

  /** Every GET route as administrator, viewer and without a login, live events, and pages of the share. */
  async gather(
    isWanted: (key: string) => boolean = () => true,
  ): Promise<{ pieces: Piece[]; answered: Map<string, number> }> {
    const pieces: Piece[] = [];
    const answered = new Map<string, number>();
    const callers = {
      administrator: chosen['administrator token'],
      viewer: this.#viewerToken,
      anonymous: null,
    };
    const queries: Record<string, readonly string[]> = {
      'GET /experiments/{id}/bundle.zip': ['', '?packets=captures', '?packets=captures%20and%20keys'],
      'GET /compare': [`?experiments=${this.#ids.experiments}`],
    };
    const keys = Object.keys(endpoints).filter((key) => key.startsWith('GET ') && isWanted(key));
    for (const [caller, token] of Object.entries(callers)) {
      for (const key of keys) {
        for (const query of queries[key] ?? ['']) {
          const { status, body } = await this.#get(`/api/v1${this.#address(key)}${query}`, token);
          if (status === 200) answered.set(caller, (answered.get(caller) ?? 0) + 1);
          pieces.push(...(await unpack(`${caller} ${key}${query}`, body)));
        }
      }
      for (const path of ['/metrics', '/version', '/livez', '/readyz', '/', `/s/${this.#shareToken}`]) {
        pieces.push({ what: `${caller} GET ${path}`, content: (await this.#get(path, token)).body });
      }
    }
    pieces.push({ what: 'live events', content: await this.#liveSnapshot() });
    for (const line of this.printed) pieces.push({ what: 'log or console', content: line });
    return { pieces, answered };
  }

  async backups(): Promise<Piece[]> {
    const data = join(this.#folder, 'data');
    const [plain, withKeys] = [join(this.#folder, 'plain.backup'), join(this.#folder, 'keys.backup')];
    await writeBackup(data, plain);
    await writeBackup(data, withKeys, chosen['passphrase of the backup']);
    return [
      { what: 'backup', content: await readFile(plain) },
      { what: 'backup with keys', content: await readFile(withKeys) },
    ];
  }

  /** Before the server starts: files that agents, devices and earlier runs leave in the data folder. */
  async #fill(data: string): Promise<void> {
    const folder = openDataFolder(data);
    const stores = makeStores(folder.database, folder.secrets);
    const { id, runs } = playExperiment(stores, { name: 'captured', repetitions: 2 }, () => ({}));
    const runId = runs[0]?.id ?? 0;
    const place = { runId, deviceId: 'local-publisher' } as const;
    stores.runFiles.saveFilePart(
      { ...place, name: 'capture.pcap' },
      { part: 0, bytes: Buffer.from('packets'), isLast: true },
    );
    stores.runFiles.saveFilePart(
      { ...place, name: 'keys.log' },
      { part: 0, bytes: Buffer.from(`${chosen['key log']}\n`), isLast: true },
    );
    Object.assign(this.#ids, {
      experiments: String(id),
      runs: String(runId),
      devices: 'pi',
      testbeds: 'local',
    });
    const device = { role: 'publisher' as const, testbedId: '' };
    this.secrets['token of an agent'] = issueAgentToken(stores.devices, {
      ...device,
      deviceId: 'pi',
      name: 'pi',
    });
    stores.sshDevices.addSshDevice({
      deviceId: 'pi',
      host: '127.0.0.1',
      port: 9,
      user: 'pi',
      hostKey: Buffer.from('AAAAC3NzaC1lZDI1NTE5AAAAIHo', 'base64'),
    });
    const external = externalDeviceSchema.parse({ name: 'esp32' });
    stores.externalDevices.saveExternalDevice('local', external);
    const access = stores.externalDevices.findDeviceSecrets('local');
    this.secrets['password of a device without an agent'] = access?.password ?? '';
    this.secrets['payload key of a device without an agent'] = access?.payloadKey ?? '';
    folder.close();
    const certificates = makeCertificates({ folder: join(data, 'pki'), nowMs: Date.now });
    const wanted = { testbedId: 'local', kind: 'ECDSA P-256' as const };
    const issued = await certificates.forBroker({ ...wanted, chainLength: 1, addresses: ['127.0.0.1'] });
    this.secrets['key of a broker'] = issued.privateKey;
    this.secrets['key of a client'] = (await certificates.forClients(wanted)).privateKey;
  }

  /** Created through the API, so that the activity log and the stored answers are realistic. */
  async #makeOverHttp(): Promise<void> {
    const named = async (path: string, body: unknown, method = 'POST') =>
      this.#send(method, path, body) as Promise<Record<string, never>>;
    const { secret: viewer } = await named('/tokens', { name: 'viewer', role: 'viewer' });
    this.#viewerToken = viewer ?? '';
    this.secrets['token of a viewer'] = this.#viewerToken;
    await named('/accounts', { name: 'ada', role: 'operator', password: chosen['password of an account'] });
    const { secret } = await named('/enrolments', { pool: 'load', uses: 2, hours: 1 });
    this.secrets['enrolment token'] = secret ?? '';
    await named('/webhooks', {
      url: 'http://127.0.0.1:9/hook',
      events: ['experiment.done'],
      secret: chosen['secret of a webhook'],
    });
    await named(
      '/testbeds/local/external-broker',
      { ...broker, password: chosen['password of the broker'] },
      'PUT',
    );
    const experimentId = Number(this.#ids.experiments);
    const options = { kind: 'experiment', experimentId, details: true };
    await named('/shares', { ...options, password: chosen['password of a share'] });
    const { token } = await named('/shares', options);
    this.#shareToken = token ?? '';
    // The first bundle creates the signing key.
    await this.#get(`/api/v1/experiments/${experimentId}/bundle.zip`, chosen['administrator token']);
  }

  #readKeyFiles(data: string): void {
    const pem = (...path: string[]): string => {
      const { privateKey } = findPemBlocks(readFileSync(join(data, ...path), 'utf8'));
      if (privateKey === null) throw new Error(`${path.join('/')} holds no private key`);
      return privateKey;
    };
    this.secrets['key of the authority'] = pem('tls', 'authority.key');
    this.secrets['key of the server'] = pem('tls', 'server.key');
    this.secrets['key of a testbed'] = pem('pki', 'local', 'authority.pem');
    this.secrets['key of bundles'] = pem('pki', 'bundle-key.pem');
    this.secrets['key for SSH'] = readFileSync(join(data, 'ssh', 'id_ed25519'), 'utf8');
    this.secrets['key of the database'] = Buffer.from(
      readFileSync(join(data, 'mqttlab.key'), 'utf8'),
      'base64',
    );
  }

  #address(key: string): string {
    const [, path = ''] = key.split(' ');
    const [, kind = ''] = path.split('/');
    return path
      .replace('{id}', this.#ids[kind] ?? '1')
      .replace('{token}', this.#shareToken)
      .replace(/\{\w+\}/, 'x');
  }

  async #send(method: string, path: string, body: unknown): Promise<unknown> {
    const { status, body: answer } = await this.#ask(
      method,
      `/api/v1${path}`,
      chosen['administrator token'],
      body,
    );
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${answer}`);
    return answer.length === 0 ? null : JSON.parse(answer.toString());
  }

  #get(path: string, token: string | null) {
    return this.#ask('GET', path, token);
  }

  #ask(
    method: string,
    path: string,
    token: string | null,
    body?: unknown,
  ): Promise<{ status: number; body: Buffer }> {
    const headers = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    return new Promise((resolve, reject) => {
      const target = { host: '127.0.0.1', port: this.#app?.port, method, path, headers, agent: false };
      const asking = request({ ...target, ca: this.#authority() }, async (response) => {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part as Buffer);
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts) });
      });
      asking.once('error', reject);
      asking.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  #liveSnapshot(): Promise<string> {
    const authorization = `Bearer ${chosen['administrator token']}`;
    const url = `wss://127.0.0.1:${this.#app?.port}/api/v1/live`;
    const socket = new WebSocket(url, { ca: this.#authority(), headers: { authorization } });
    return new Promise((resolve, reject) => {
      socket.once('error', reject).once('message', (data) => {
        socket.close();
        resolve(data.toString());
      });
    });
  }

  #authority(): string {
    return readFileSync(join(this.#folder, 'data', 'tls', 'authority.pem'), 'utf8');
  }
}

const broker = {
  label: 'RabbitMQ',
  address: '127.0.0.1',
  port: 1883,
  tlsPort: null,
  websocketPort: null,
  mqttVersions: ['3.1.1'],
  authority: null,
  serverName: null,
  process: null,
  unit: null,
  username: 'lab',
};

/** The entries of a zip; any other content unchanged. */
async function unpack(what: string, body: Buffer): Promise<Piece[]> {
  if (!body.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004', 'latin1'))) return [{ what, content: body }];
  const zip = await openZip(body, body.length);
  const pieces = await Promise.all(
    zip.paths().map(async (path) => ({ what, content: await zip.read(path) })),
  );
  zip.close();
  return pieces;
}

function leaksIn(pieces: readonly Piece[], secrets: Secrets): string[] {
  const leaks = pieces.flatMap(({ what, content }) =>
    findSecrets(content, secrets)
      .filter((name) => !allowed[what]?.includes(name))
      .map((name) => `${what}: ${name}`),
  );
  return [...new Set(leaks)];
}

function filesUnder(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesUnder(join(path, name)));
}

describe('outputs of a server', () => {
  const lab = new Lab();
  beforeAll(() => lab.start());
  afterAll(() => lab.stop());

  it('contain no private key, token, password or secret', async () => {
    const { pieces, answered } = await lab.gather();
    expect(leaksIn(pieces, lab.secrets)).toEqual([]);
    // Most routes answer the administrator, so the test is realistic.
    expect(answered.get('administrator')).toBeGreaterThan(45);
    expect(answered.get('viewer')).toBeGreaterThan(35);
    const shared = pieces.find(({ what }) => what === 'anonymous GET /shared/{token}');
    expect(shared?.content.length).toBeGreaterThan(10_000);
    const bundles = pieces.filter(({ what }) => what.includes('bundle.zip'));
    expect(bundles.length).toBeGreaterThan(20);
  });

  it('contain no secret in a backup, with or without keys', async () => {
    expect(leaksIn(await lab.backups(), lab.secrets)).toEqual([]);
  });

  it('are searched for every encoding of a secret', () => {
    for (const [name, secret] of Object.entries(lab.secrets)) {
      const raw = Buffer.from(secret);
      const json = typeof secret === 'string' ? [JSON.stringify(secret)] : [];
      for (const form of [raw, raw.toString('base64'), raw.toString('hex'), ...json]) {
        const content = Buffer.concat([Buffer.from('before '), Buffer.from(form), Buffer.from(' after')]);
        expect(findSecrets(content, { [name]: secret }), name).not.toEqual([]);
      }
    }
  });

  it('are searched completely: a planted secret is found', async () => {
    await lab.plant(chosen['secret of a webhook']);
    const { pieces } = await lab.gather((key) => !/bundle|report/.test(key));
    expect(leaksIn(pieces, lab.secrets)).toEqual(
      expect.arrayContaining([
        'administrator GET /experiments: secret of a webhook',
        'viewer GET /experiments: secret of a webhook',
        'administrator GET /changes: secret of a webhook',
        'administrator GET /experiments/{id}/plan.yaml: secret of a webhook',
      ]),
    );
  });
});

describe('documentation and manifests', () => {
  const root = findProject().root;
  const files = ['README.md', 'CHANGELOG.md', 'docs', 'docker', 'examples'].flatMap((name) =>
    filesUnder(join(root, name)),
  );

  it('contain no private key and expose none', () => {
    // A command or setting that copies, mounts or names a key file of the data folder.
    const copied =
      /(--from-file|\bcp |\bcat |mountPath|subPath|ca_file|CA_CERTS|MQTTLAB_AUTHORITY).*(authority|server|mqttlab)\.key/;
    const wrong = files.flatMap((path) => {
      const content = readFileSync(path);
      const found = findSecrets(content, {});
      const lines = content.toString().split('\n');
      if (lines.some((line) => line.length < 1000 && copied.test(line))) found.push('a copied key file');
      return found.map((name) => `${path}: ${name}`);
    });
    expect(wrong).toEqual([]);
    expect(files.length).toBeGreaterThan(40);
  });

  it('copy only the files that the build needs into the image', () => {
    const lines = readFileSync(join(root, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => /^[^#]/.test(line));
    expect(lines[0]).toBe('*');
    const included = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(included).toEqual(expect.arrayContaining(['apps', 'packages', 'scripts', 'package-lock.json']));
    for (const name of included) expect(name).not.toMatch(/\*|^data|token|\.(key|pem|db|backup)$/);
    expect(lines).toContain('**/data');
  });
});
