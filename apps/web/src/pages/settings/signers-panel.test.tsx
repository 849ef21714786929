import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { MemoryRouter } from 'react-router';
import { expect, it } from 'vitest';
import { keyOf } from '../../api/client.ts';
import { keyOrFingerprint, SignersPanel } from './signers-panel.tsx';

// @vitest-environment jsdom
const trusted = `SHA256:${'a'.repeat(43)}`;
const foreign = `SHA256:${'b'.repeat(43)}`;
const show = (list: object): string => {
  const client = new QueryClient();
  client.setQueryData(keyOf('GET /signers'), list);
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <MantineProvider>
        <MemoryRouter>
          <SignersPanel />
        </MemoryRouter>
      </MantineProvider>
    </QueryClientProvider>,
  );
};

it('names trusted signers, and shows the keys of other imports as unknown with a way to trust them', () => {
  const page = show({
    items: [{ id: 1, fingerprint: trusted, name: 'Lab of Ada', createdAt: 1 }],
    unknown: [{ fingerprint: foreign, experiments: 2, lastExperiment: { id: 7, name: 'Costs' } }],
  });
  expect(page).toContain('Lab of Ada');
  expect(page).toContain('Remove Lab of Ada');
  expect(page.split('Unknown signer')).toHaveLength(2);
  expect(page).toContain(foreign);
  expect(page).toContain('href="/experiments/7"');
});

it('explains what to do if there are none', () => {
  expect(show({ items: [], unknown: [] })).toContain('No signers yet');
});

it('takes a public key or its fingerprint', () => {
  expect(keyOrFingerprint(` ${trusted}\n`)).toEqual({ fingerprint: trusted });
  const key = '-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----';
  expect(keyOrFingerprint(`${key}\n`)).toEqual({ key });
});
