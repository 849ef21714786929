import { describe, expect, it } from 'vitest';
import { makeRunSummary } from '../../live/testing/live-factories.ts';
import { documentationPages } from './documentation-pages.ts';
import { searchGroups } from './search-groups.ts';

const nothing = {
  running: null,
  experiments: [],
  numbered: undefined,
  runNumber: null,
  studies: [{ id: 'v2x-tls', title: 'TLS for vehicles' }],
};
const labels = (groups: ReturnType<typeof searchGroups>) =>
  groups.map(({ label, options }) => [label, ...options.map((option) => option.label)]);

describe('searchGroups', () => {
  it('finds pages and studies by their words', () => {
    expect(labels(searchGroups('vehic', nothing))).toEqual([['Studies', 'TLS for vehicles']]);
    expect(labels(searchGroups('compare', nothing))[0]).toEqual(['Pages', 'Compare']);
    expect(labels(searchGroups('', nothing))[1]).toContain('Devices');
    expect(searchGroups('zzz', nothing)).toEqual([]);
  });

  it('finds documentation pages by title and heading', () => {
    const documentation = (search: string) =>
      searchGroups(search, nothing).find(({ label }) => label === 'Documentation')?.options ?? [];
    expect(documentation('docu').length).toBe(documentationPages.length);
    expect(documentation('tutorial').map(({ value }) => value)).toContain('/docs/tutorial.html');
    expect(documentation('exit codes').map(({ value }) => value)).toContain(
      '/docs/reference/command-line.html',
    );
    expect(documentation('')).toEqual([]);
  });

  it('offers actions, and pause or resume only for an active experiment', () => {
    const of = (search: string, state?: 'running' | 'paused') =>
      searchGroups(search, { ...nothing, running: state ? { code: 'E-3', state } : null })
        .filter(({ label }) => label === 'Actions')
        .flatMap(({ options }) => options.map(({ value }) => value));
    expect(of('theme')).toEqual(['theme']);
    expect(of('new exp')).toEqual(['new']);
    expect(of('pause')).toEqual([]);
    expect(of('pause', 'running')).toEqual(['pause']);
    expect(of('E-3', 'paused')).toEqual(['resume']);
  });

  it('links to server results and to experiment numbers', () => {
    const experiments = [{ id: 4, name: 'Loss', status: 'draft' as const }];
    const [found] = searchGroups('loss', { ...nothing, experiments });
    expect(found?.options).toEqual([{ value: '/experiments/4/edit', label: 'Loss', note: 'E-4' }]);
    const numbered = { id: 12, name: '', status: 'done' as const };
    expect(searchGroups('E-12', { ...nothing, numbered, experiments: [numbered] })[0]?.options).toEqual([
      { value: '/experiments/12', label: 'Untitled experiment', note: 'E-12' },
    ]);
  });

  it('finds a run by its experiment and its number', () => {
    const run = makeRunSummary({ id: 40, experimentId: 7, trialNumber: 2 });
    const numbered = { id: 7, name: 'Loss', status: 'done' as const, runs: [run] };
    const asked = { ...nothing, numbered, runNumber: 2 };
    expect(searchGroups('E-7 run 2', asked)[0]).toEqual({
      label: 'Runs',
      options: [{ value: '/experiments/7/runs/40', label: 'E-7, run 2', note: 'Loss' }],
    });
  });
});
