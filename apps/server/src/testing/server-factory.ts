import { makeCapabilities } from '@mqttlab/shared/testing/factories';
import type { Logger } from 'pino';
import type { Config } from '../base/config.ts';

/** The configuration of a server on a free port of this machine. */
export function makeTestConfig(dataFolder: string, change: Partial<Config> = {}): Config {
  return {
    port: 0,
    host: '127.0.0.1',
    loopback: true,
    dataFolder,
    adminToken: null,
    hostnames: [],
    publicUrl: null,
    transport: { kind: 'plain', waived: false },
    proxyHeader: null,
    logLevel: 'silent',
    projectRoot: dataFolder,
    pageFolder: '/nonexistent',
    // As announced by scripted agents.
    version: makeCapabilities('broker').agentVersion,
    ...change,
  };
}

/** Collects the errors that a server logs. */
export function makeTestLogger(onError: (error: unknown) => void = () => {}): Logger {
  const ignore = (): void => {};
  const error = ({ err }: { err: unknown }): void => onError(err);
  return { error, warn: ignore, info: ignore, debug: ignore } as unknown as Logger;
}
