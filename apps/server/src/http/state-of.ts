import { entryOf } from '@mqttlab/shared/domain/bounds';
import type { ApiParts } from './parts.ts';

export type Fields = Record<string, unknown>;

type Reader = (parts: ApiParts, id: string, rest: string) => object | null;

/** What can be changed of each kind of thing, by the first part of its address. */
const readers: Readonly<Record<string, Reader>> = {
  experiments(parts, id, rest) {
    if (rest === 'draft') return parts.experiments.find(Number(id))?.draft ?? null;
    const found = parts.experiments.summary(Number(id));
    if (!found) return null;
    const { name, tags, notes, status, deletedAt, startedBy, keepEverything = false } = found;
    return { name, tags, notes, status, deletedAt, startedBy, keepEverything };
  },
  runs(parts, id) {
    const run = parts.runs.find(Number(id));
    return run && { notes: run.notes, tags: run.tags, exclusion: run.exclusion };
  },
  devices(parts, id, rest) {
    if (rest === 'settings') return parts.deviceSettings.find(id);
    const ssh = parts.remoteDevices.about(id);
    if (!ssh) return null;
    const { host, port, user, connection, draining, fingerprint } = ssh;
    return { host, port, user, connection, draining, fingerprint };
  },
  testbeds(parts, id, rest) {
    if (rest === 'external-broker') return parts.brokers.find(id);
    if (rest === 'external-device') return parts.externalDevices.find(id);
    const testbed = parts.testbeds.find(id);
    if (!testbed) return null;
    const devices = testbed.devices.map(({ deviceId, role }) => ({ deviceId, role }));
    return { name: testbed.name, devices, links: testbed.links };
  },
  shares(parts, token) {
    const share = parts.shares.find(token)?.share;
    return share ? { ...share, token: undefined, path: undefined, openings: undefined } : null;
  },
  views: (parts, id) => parts.views.list().find((view) => view.id === Number(id)) ?? null,
  webhooks: (parts, id) => {
    const webhook = parts.webhooks.list().find((one) => one.id === Number(id));
    return webhook ? { url: webhook.url, events: webhook.events, enabled: webhook.enabled } : null;
  },
  signers(parts, id) {
    const signer = parts.signers.find(Number(id));
    return signer && { name: signer.name, fingerprint: signer.fingerprint };
  },
  storage: (parts) => parts.storage.settings(),
  accounts(parts, id) {
    const account = parts.accounts.find(Number(id));
    return account && { name: account.name, role: account.role };
  },
  tokens(parts, id) {
    const token = parts.tokens.find(Number(id));
    if (!token) return null;
    const { name, role, scope, expiresAt, revokedAt } = token;
    return { name, role, scope, expiresAt, revokedAt };
  },
};

/** How the thing at an address is now, in fields; null where there is none, or it cannot be read. */
export function readState(parts: ApiParts, path: string): Fields | null {
  const [, kind = '', id, rest = ''] = path.split('/');
  if (id === undefined || id === '') return null;
  try {
    const state = entryOf(readers, kind)?.(parts, id, rest) ?? null;
    return state && { ...state };
  } catch {
    // Whatever is wrong with it is said by the change itself.
    return null;
  }
}
