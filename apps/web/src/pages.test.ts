import { expect, it } from 'vitest';
import { documentationPages } from './pages/search/documentation-pages.ts';
import { pages, sharedPage } from './pages.ts';

it.each([...pages, sharedPage].map(({ path, help }) => [path, help]))(
  'the help of /%s is a documentation page',
  (_path, help) => {
    expect(documentationPages.map(({ path }) => path)).toContain(help);
  },
);
