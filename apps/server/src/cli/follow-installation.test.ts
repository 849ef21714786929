import type { Installation } from '@mqttlab/shared/messages/devices';
import { expect, it } from 'vitest';
import { type Api, type ApiRequest, CliApiError } from './api.ts';
import { parseCliArguments } from './arguments.ts';
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

it('takes a device that goes between two questions for removed, not for lost', async () => {
  const known = {
    id: 'pi',
    role: 'publisher',
    testbedId: '',
    online: false,
    lastSeenAt: null,
    ssh: null,
    state: 'offline',
    reasons: [],
  };
  const lists = [{ items: [known] }, { items: [] }];
  const notFound = new CliApiError({
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: 'gone',
    remedy: '',
    issues: [],
  });
  const nobody = () => Promise.reject(new Error('nobody asks for this'));
  const api: Api = {
    server: 'http://127.0.0.1',
    text: nobody,
    bytes: nobody,
    upload: nobody,
    sendCsv: nobody,
    call: async <T>({ path, response }: ApiRequest<T>) => {
      if (path !== '/devices') throw notFound;
      return response.parse(lists.shift());
    },
  };
  const noted: string[] = [];
  const { code } = await followInstallation(
    {
      api,
      args: parseCliArguments(['device', 'remove', 'pi'], {}),
      print: () => undefined,
      note: (text) => void noted.push(text),
      columns: 80,
      signal: new AbortController().signal,
    },
    removal,
  );
  expect([code, ...noted]).toEqual([0, 'pi is removed; nothing of mqttlab is on it.']);
});
