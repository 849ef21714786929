import { expect, it } from 'vitest';
import { handedPlan, handOver, opensOnlyHere } from './share-links.ts';

it.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['[::1]', true],
  ['192.168.1.5', false],
  ['lab.localhost.example', false],
  ['127.0.0.1.example.org', false],
])('a link to %s opens only on this machine: %s', (hostname, only) => {
  expect(opensOnlyHere(`http://${hostname}:8080`)).toBe(only);
});

const plan = '{"name":"Cost of TLS, 100 % & more #1"}';

it.each([
  ['192.168.1.5:8080', 'http://192.168.1.5:8080/experiments'],
  [' https://lab.example.org/s/abc?x=1#y ', 'https://lab.example.org/experiments'],
  ['localhost:3000', 'http://localhost:3000/experiments'],
])('hands a plan to the mqttlab at %s', (address, page) => {
  const found = handOver(address, plan);
  if (!('href' in found)) throw new Error(found.what);
  const { origin, pathname, hash, search } = new URL(found.href);
  expect(`${origin}${pathname}${search}`).toBe(page);
  expect(handedPlan(hash)).toBe(plan);
});

it.each(['', '  ', 'http://', 'javascript://x/%0aalert(1)', 'ftp://lab', 'http://user:secret@lab', 'a b'])(
  'refuses “%s” as the address of an mqttlab',
  (address) => {
    expect(handOver(address, plan)).toHaveProperty('what');
  },
);

it.each(['', '#', '#plan', '#plan=%E0%A4%A'])('finds no plan in “%s”', (hash) => {
  expect(handedPlan(hash)).toBeNull();
});
