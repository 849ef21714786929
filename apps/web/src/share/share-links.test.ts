import { expect, it } from 'vitest';
import { opensOnlyHere } from './share-links.ts';

it.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['[::1]', true],
  ['192.168.1.5', false],
  ['lab.localhost.example', false],
  ['127.0.0.1.example.org', false],
])('a link to %s opens only on this machine: %s', (hostname, only) => {
  expect(opensOnlyHere(hostname)).toBe(only);
});
