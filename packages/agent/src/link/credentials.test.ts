import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { makeCredentials } from './credentials.ts';

test('an agent enrols once, and uses its own token from then on, even after a restart', () => {
  const path = join(makeTemporaryFolder(), 'token');
  const options = { token: null, enrolToken: 'once', name: 'pod-1', path };
  const first = makeCredentials(options);
  expect(first.headers()).toEqual({ authorization: 'Bearer once', 'x-mqttlab-name': 'pod-1' });
  first.keep('its-own');
  expect(first.headers()).toEqual({ authorization: 'Bearer its-own' });
  expect(readFileSync(path, 'utf8')).toBe('its-own\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const next = makeCredentials(options);
  expect(next.headers()).toEqual({ authorization: 'Bearer its-own' });
  next.refused();
  expect(next.headers()).toMatchObject({ authorization: 'Bearer once' });
});

test('without an enrolment token a refused device keeps its credentials', () => {
  const installed = makeCredentials({ token: 'given', enrolToken: null, name: 'pi', path: '/nowhere' });
  installed.refused();
  expect(installed.headers()).toEqual({ authorization: 'Bearer given' });
});
