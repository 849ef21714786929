import type { Failure } from '@mqttlab/shared/kit/failure';
import { describe, expect, it } from 'vitest';
import { findProject, parseConfig } from './config.ts';
import { isStartFailure } from './errors.ts';

const token = 'a-token-of-thirty-two-characters';
const project = { root: '/opt/mqttlab', version: '1.2.3' };

function errorOf(environment: Record<string, string>): Failure {
  try {
    parseConfig(environment, project);
  } catch (error) {
    if (isStartFailure(error)) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('parseConfig', () => {
  it('listens on this machine only by default', () => {
    expect(parseConfig({}, project)).toEqual({
      port: 8080,
      host: '127.0.0.1',
      loopback: true,
      dataFolder: '/opt/mqttlab/data',
      adminToken: null,
      hostnames: [],
      publicUrl: null,
      transport: { kind: 'plain', waived: false },
      proxyHeader: null,
      logLevel: 'warn',
      projectRoot: '/opt/mqttlab',
      pageFolder: '/opt/mqttlab/apps/web/dist',
      version: '1.2.3',
    });
    expect(parseConfig({ PORT: '', HOST: '' }, project)).toMatchObject({ port: 8080, host: '127.0.0.1' });
  });

  it('detects hosts that are reachable from other machines', () => {
    for (const HOST of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
      expect(parseConfig({ HOST }, project).loopback, HOST).toBe(true);
    }
    for (const HOST of ['0.0.0.0', '::', '192.0.2.7', 'pi.local', '12.7.0.1']) {
      expect(parseConfig({ HOST }, project).loopback, HOST).toBe(false);
    }
  });

  it('uses HTTPS beyond loopback, unless a proxy is set or the risk is accepted', () => {
    const HOST = '0.0.0.0';
    const files = { MQTTLAB_TLS_CERTIFICATE: '/c.pem', MQTTLAB_TLS_KEY: '/k.pem' };
    const chosen = (environment: NodeJS.ProcessEnv) => parseConfig(environment, project).transport;
    expect(chosen({ HOST })).toEqual({ kind: 'authority' });
    expect(chosen(files)).toEqual({ kind: 'files', certificate: '/c.pem', key: '/k.pem' });
    expect(chosen({ HOST, MQTTLAB_PROXY: '192.0.2.1, ::2' })).toEqual({
      kind: 'proxy',
      addresses: ['192.0.2.1', '::2'],
    });
    expect(chosen({ HOST, MQTTLAB_INSECURE_HTTP: 'yes' })).toEqual({ kind: 'plain', waived: true });
    expect(errorOf({ MQTTLAB_TLS_KEY: '/k.pem' }).message).toMatch(/^MQTTLAB_TLS_CERTIFICATE: is missing/);
  });

  it('uses the configured values', () => {
    const environment = {
      PORT: '0',
      MQTTLAB_DATA: '/var/lib/mqttlab',
      MQTTLAB_ADMIN_TOKEN: token,
      MQTTLAB_HOSTNAMES: 'Lab.Example, other',
      MQTTLAB_PROXY_HEADER: 'X-Real-IP',
      LOG_LEVEL: 'debug',
    };
    expect(parseConfig(environment, project)).toMatchObject({
      port: 0,
      dataFolder: '/var/lib/mqttlab',
      adminToken: token,
      hostnames: ['lab.example', 'other'],
      proxyHeader: 'x-real-ip',
      logLevel: 'debug',
    });
  });

  it('takes the origin of the public address, and admits its name', () => {
    const environment = {
      MQTTLAB_PUBLIC_URL: 'https://Lab.example:8443/',
      MQTTLAB_HOSTNAMES: 'other,lab.example',
    };
    expect(parseConfig(environment, project)).toMatchObject({
      publicUrl: 'https://lab.example:8443',
      hostnames: ['lab.example', 'other'],
    });
  });

  it('names the invalid variable and its remedy', () => {
    const wrong: Record<string, string[]> = {
      PORT: ['http', '-1', '65536', '80.5', '1e3'],
      HOST: ['no host', 'http://x', '-x'],
      MQTTLAB_ADMIN_TOKEN: [
        'short',
        'of-thirty-one-characters-alone',
        'with spaces in between them, and long',
        'x'.repeat(64),
      ],
      MQTTLAB_HOSTNAMES: ['a,,b', 'a b'],
      MQTTLAB_PUBLIC_URL: [
        'lab.example',
        'ftp://lab.example',
        'https://lab.example/mqttlab',
        'https://a:b@lab.example',
      ],
      MQTTLAB_PROXY: ['proxy.example', '192.0.2.1,'],
      MQTTLAB_PROXY_HEADER: ['forwarded', 'yes'],
      MQTTLAB_INSECURE_HTTP: ['1'],
      LOG_LEVEL: ['loud'],
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        const { message, remedy } = errorOf({ [name]: value });
        expect(message, value).toMatch(new RegExp(`^${name}: .+\\.$`));
        expect(remedy, value).toMatch(new RegExp(`^Set ${name} `));
      }
    }
  });
});

describe('findProject', () => {
  it('finds the folder of this project', () => {
    const found = findProject();
    expect(found.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(import.meta.url).toContain(`${found.root}/apps/server`);
    expect(() => findProject('/')).toThrow(/no mqttlab project/);
  });
});
