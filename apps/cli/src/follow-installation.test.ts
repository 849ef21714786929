import type { Installation } from '@mqttlab/shared/messages/devices';
import { afterEach, expect, it, vi } from 'vitest';
import { makeApi } from './api.ts';
import { followInstallation } from './follow-installation.ts';

const removal: Installation = {
  deviceId: 'pi',
  kind: 'remove',
  status: 'running',
  startedAt: 1,
  finishedAt: null,
  steps: [],
  failure: null,
};

afterEach(() => vi.unstubAllGlobals());

it('takes a device that goes between two questions for removed, not for lost', async () => {
  const known = {
    id: 'pi',
    name: 'pi',
    capabilities: null,
    setAside: [],
    role: 'publisher',
    testbedId: '',
    online: false,
    lastSeenAt: null,
    health: null,
    ssh: null,
    state: 'offline',
    reasons: [],
  };
  const lists = [{ items: [known] }, { items: [] }];
  vi.stubGlobal('fetch', async (address: string) => {
    if (address.endsWith('/devices')) return Response.json(lists.shift());
    const problem = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'gone', remedy: '' };
    return Response.json({ ...problem, issues: [] }, { status: 404 });
  });
  const api = makeApi('http://127.0.0.1', null);
  const noted: string[] = [];
  const { code } = await followInstallation(
    { api, json: false, print: () => undefined, note: (text) => void noted.push(text) },
    removal,
  );
  expect([code, ...noted]).toEqual([0, 'pi is removed; nothing from mqttlab is left on it.']);
});
