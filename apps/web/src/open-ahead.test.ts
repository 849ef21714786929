import { expect, it, vi } from 'vitest';
import { matchPath, openAhead } from './open-ahead.ts';

it.each([
  ['', '/', {}],
  ['compare', '/compare', {}],
  ['compare', '/compare/', {}],
  ['experiments/:id', '/experiments/7', { id: '7' }],
  ['experiments/:id/edit/:step?', '/experiments/7/edit', { id: '7' }],
  ['experiments/:id/edit/:step?', '/experiments/7/edit/load', { id: '7', step: 'load' }],
  ['experiments/:id', '/experiments', null],
  ['experiments/:id', '/experiments/7/report', null],
  ['experiments/:id/report', '/experiments/7/runs', null],
  ['', '/compare', null],
])('holds "%s" against %s', (path, pathname, names) => {
  expect(matchPath(path, pathname)).toEqual(names);
});

it('requests and loads what the page at the address needs, on demand', async () => {
  const load = vi.fn(async () => ({ Component: () => null }));
  const help = 'tutorial.html';
  const other = { path: 'devices', help, load: vi.fn(async () => ({ Component: () => null })) };
  const ask = vi.fn((names: Readonly<Record<string, string>>, search: URLSearchParams) => [
    { queryKey: ['run', names.runId, search.get('flagged')], answer: Promise.reject(new Error('gone')) },
  ]);
  const page = openAhead([other, { path: 'runs/:runId', help, load, ask }], {
    pathname: '/runs/12',
    search: '?flagged=1',
  });
  expect([load, ask].map((call) => call.mock.calls.length)).toEqual([0, 0]);
  expect(page?.ask().map(({ queryKey }) => queryKey)).toEqual([['run', '12', '1']]);
  page?.load();
  expect(load).toHaveBeenCalledOnce();
  expect(other.load).not.toHaveBeenCalled();
});

it('leaves unknown addresses to the router', () => {
  expect(openAhead([], { pathname: '/nowhere', search: '' })).toBeNull();
});
