import { describe, expect, it } from 'vitest';
import { authorshipWords, isStated, noAuthorship } from './authorship.ts';
import { licensedAuthorshipSchema } from './licensed-authorship.ts';

const parse = (change: Partial<typeof noAuthorship>) =>
  licensedAuthorshipSchema.safeParse({ ...noAuthorship, ...change });

describe('an ORCID iD', () => {
  // Examples of the ORCID documentation.
  it.each(['0000-0002-1825-0097', '0000-0001-5109-3700', '0000-0002-1694-233X'])('%s is valid', (orcid) => {
    expect(parse({ orcid }).data?.orcid).toBe(orcid);
  });

  it('may be pasted as its address', () => {
    expect(parse({ orcid: ' https://orcid.org/0000-0002-1694-233x ' }).data?.orcid).toBe(
      '0000-0002-1694-233X',
    );
  });

  it.each(['0000-0002-1825-0098', '0000-0002-1694-2330', '0000000218250097', 'Ada'])(
    '%s is refused',
    (orcid) => {
      const { error } = parse({ orcid });
      expect(error?.issues[0]).toMatchObject({
        path: ['orcid'],
        message: expect.stringContaining('check digit'),
      });
    },
  );
});

it('a licence is an SPDX id', () => {
  expect(parse({ licence: 'CC-BY-4.0' }).success).toBe(true);
  expect(parse({ licence: 'CC BY 4.0' }).error?.issues[0]?.path).toEqual(['licence']);
});

it('a text has one line', () => {
  expect(parse({ author: 'Ada\nLovelace' }).error?.issues[0]?.path).toEqual(['author']);
});

it('words contain the stated parts only', () => {
  expect(isStated(noAuthorship)).toBe(false);
  expect(authorshipWords(noAuthorship)).toBe('');
  const all = {
    author: 'Ada Lovelace',
    orcid: '0000-0002-1825-0097',
    affiliation: 'Lab',
    licence: 'CC0-1.0',
    funding: 'Grant 7.',
  };
  expect(authorshipWords(all)).toBe(
    'Ada Lovelace (ORCID 0000-0002-1825-0097), Lab. Licence: CC0-1.0. Funding: Grant 7.',
  );
  expect(authorshipWords({ ...noAuthorship, licence: 'MIT' })).toBe('Licence: MIT.');
});
