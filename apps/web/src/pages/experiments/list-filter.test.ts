import { describe, expect, it } from 'vitest';
import { isFiltered, listParams, readFilter, writeFilter } from './list-filter.ts';

describe('list filter', () => {
  it('round-trips through the address', () => {
    const filter = { search: 'QoS & loss', status: 'draft', tag: 'paper', page: 2 } as const;
    expect(readFilter(new URLSearchParams(writeFilter(filter).toString()))).toEqual(filter);
  });

  it.each(['status=gone', 'page=-4', 'page=x', 'page=1.5', 'page=0', ''])(
    'reads "%s" as the default',
    (text) => {
      expect(readFilter(new URLSearchParams(text))).toEqual({ search: '', status: 'all', tag: '', page: 0 });
    },
  );

  it('keeps the default out of the address', () => {
    expect(writeFilter({ search: '', status: 'all', tag: '', page: 0 }).toString()).toBe('');
  });

  it('requests the rows of one page', () => {
    expect(listParams({ search: '', status: 'active', tag: '', page: 3 })).toEqual({
      status: 'active',
      offset: 150,
      limit: 50,
    });
  });

  it('distinguishes a filtered list from the complete list', () => {
    expect(isFiltered({ search: '', status: 'all', tag: '', page: 4 })).toBe(false);
    expect(isFiltered({ search: '', status: 'all', tag: 'x', page: 0 })).toBe(true);
  });
});
