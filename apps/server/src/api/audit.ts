import type { IncomingMessage } from 'node:http';
import { entryOf } from '@mqttlab/shared/domain/bounds';
import { StorageError } from '../store/storage-error.ts';
import type { Identity } from './guards/identify.ts';
import type { Route } from './route.ts';
import type { Services } from './services.ts';

/** Maximum stored length of the state before or after a change, in characters. */
const maxCharacters = 8000;
const secretName = /password|passphrase|secret|token|privateKey|^text$/i;

interface Asked {
  route: Route;
  request: IncomingMessage & { params: Record<string, string | string[] | undefined>; body?: unknown };
}

/** Records every change made through the API: who, what, when, from which address, before and after. */
export function makeAudit(services: Services) {
  return {
    /**
     * Returns a function to call after the change, or null if the request changes nothing. Must be called
     * before the change.
     */
    begin({ route, request }: Asked): ((by: Identity | null, answer: unknown) => void) | null {
      if (route.method === 'get' || route.asks) return null;
      const params = Object.fromEntries(
        Object.entries(request.params).map(([name, value]) => [name, String(value)]),
      );
      const path = route.path.replace(/\{(\w+)\}/g, (_all, name: string) => params[name] ?? '');
      const thing = path.replace(/\/actions\/.*/, '');
      const before = readState(services, thing);
      return (by, answer) => {
        const made = madePath(route.path, answer);
        const asked = request.body && before === null ? (withoutSecrets(request.body) as Fields) : null;
        const after = readState(services, made ?? thing) ?? asked;
        const change = {
          actor: by?.name ?? 'nobody',
          address: services.gate.addressOf(request),
          action: route.key,
          words: params.action === undefined ? firstPart(route.summary) : `Action "${params.action}"`,
          subject: withoutToken(made ?? thing),
          ...differences(before, after),
        };
        try {
          services.stores.changes.addChange(change, { join: route.path.endsWith('/draft') });
        } catch (error) {
          if (!(error instanceof StorageError)) throw error;
          services.system.logger.error(
            { err: error, change },
            'a change could not be recorded in the activity log',
          );
        }
      };
    },
  };
}

export type Audit = ReturnType<typeof makeAudit>;

const firstPart = (sentence: string): string => sentence.split(';')[0] ?? sentence;

/**
 * Returns the address of the object in a response, such as "/experiments/7"; null if the request created
 * nothing.
 */
function madePath(path: string, answer: unknown): string | null {
  if (path.includes('{') || typeof answer !== 'object' || answer === null) return null;
  const [, kind] = path.split('/');
  const named = 'token' in answer && typeof answer.token === 'object' ? answer.token : answer;
  const found = { ...(named ?? {}), ...('webhook' in answer ? (answer.webhook as object) : {}) } as Fields;
  const id = found.id ?? found.token ?? found.testbedId ?? found.deviceId;
  return typeof id === 'number' || typeof id === 'string' ? `/${kind}/${id}` : null;
}

/** Readers of the log must not be able to open links with it. */
const withoutToken = (path: string): string => path.replace(/^(\/shares\/.{6}).+/, '$1…');

/** Returns only the differing fields, without secrets, and short enough for a page. */
function differences(before: Fields | null, after: Fields | null) {
  const names = Object.keys({ ...before, ...after });
  const differing = names.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]));
  const side = (fields: Fields | null): Fields | null => {
    if (fields === null) return null;
    const left = differing.filter((name) => name in fields).map((name) => [name, fields[name]]);
    const kept = withoutSecrets(Object.fromEntries(left)) as Fields;
    if (JSON.stringify(kept).length <= maxCharacters) return kept;
    return { long: `${JSON.stringify(kept).slice(0, maxCharacters)} …` };
  };
  return { before: side(before), after: side(after) };
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([name, item]) => [
        name,
        secretName.test(name) && item !== null ? '(not kept)' : withoutSecrets(item),
      ]),
  );
}

type Fields = Record<string, unknown>;

type Reader = (services: Services, id: string, rest: string) => object | null;

/** The fields of each kind of object that can change, by the first part of its address. */
const readers: Readonly<Record<string, Reader>> = {
  experiments(services, id, rest) {
    if (rest === 'draft') return services.stores.experiments.findExperiment(Number(id))?.draft ?? null;
    const found = services.stores.experiments.findExperimentSummary(Number(id));
    if (!found) return null;
    const { name, tags, notes, status, deletedAt, startedBy, keepEverything = false } = found;
    return { name, tags, notes, status, deletedAt, startedBy, keepEverything };
  },
  runs(services, id) {
    const run = services.stores.runs.findRun(Number(id));
    return run && { notes: run.notes, tags: run.tags, exclusion: run.exclusion };
  },
  devices(services, id, rest) {
    if (rest === 'settings') return services.stores.deviceSettings.findDeviceSettings(id);
    const ssh = services.devices.remote.about(id);
    if (!ssh) return null;
    const { host, port, user, connection, draining, fingerprint } = ssh;
    return { host, port, user, connection, draining, fingerprint };
  },
  testbeds(services, id, rest) {
    if (rest === 'external-broker') return services.stores.brokers.findExternalBroker(id);
    if (rest === 'external-device') return services.stores.externalDevices.findExternalDevice(id);
    const testbed = services.devices.testbeds.findTestbed(id);
    if (!testbed) return null;
    const devices = testbed.devices.map(({ deviceId, role }) => ({ deviceId, role }));
    return { name: testbed.name, devices, links: testbed.links, brokerPorts: testbed.brokerPorts };
  },
  shares(services, token) {
    const share = services.stores.shares.findShare(token)?.share;
    return share ? { ...share, token: undefined, path: undefined, openings: undefined } : null;
  },
  views: (services, id) => services.stores.views.listViews().find((view) => view.id === Number(id)) ?? null,
  webhooks: (services, id) => {
    const webhook = services.stores.webhooks.listWebhooks().find((one) => one.id === Number(id));
    return webhook ? { url: webhook.url, events: webhook.events, enabled: webhook.enabled } : null;
  },
  signers(services, id) {
    const signer = services.stores.signers.findSigner(Number(id));
    return signer && { name: signer.name, fingerprint: signer.fingerprint };
  },
  storage: (services) => services.stores.storage.readStorageSettings(),
  accounts(services, id) {
    const account = services.stores.accounts.findAccount(Number(id));
    return account && { name: account.name, role: account.role };
  },
  tokens(services, id) {
    const token = services.stores.tokens.findToken(Number(id));
    if (!token) return null;
    const { name, role, scope, expiresAt, revokedAt } = token;
    return { name, role, scope, expiresAt, revokedAt };
  },
};

/** Returns the current fields of the object at an address; null if it does not exist or cannot be read. */
function readState(services: Services, path: string): Fields | null {
  const [, kind = '', id, rest = ''] = path.split('/');
  if (id === undefined || id === '') return null;
  try {
    const state = entryOf(readers, kind)?.(services, id, rest) ?? null;
    return state && { ...state };
  } catch {
    // The change itself reports the error.
    return null;
  }
}
