import { MantineProvider } from '@mantine/core';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { createMemoryRouter, Outlet, RouterProvider } from 'react-router';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HelpLink } from './help-link.tsx';

// @vitest-environment jsdom
beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const media = { matches: false, addEventListener: () => {}, removeEventListener: () => {} };
  vi.stubGlobal('matchMedia', () => media);
});
afterEach(() => vi.unstubAllGlobals());

it('opens the documentation of the current page, or the table of contents', async () => {
  const shell = (
    <MantineProvider>
      <HelpLink />
      <Outlet />
    </MantineProvider>
  );
  const router = createMemoryRouter(
    [
      {
        path: '/',
        element: shell,
        children: [
          { path: 'compare', element: null, handle: { help: 'explanation/inference.html' } },
          { path: '*', element: null },
        ],
      },
    ],
    { initialEntries: ['/compare'] },
  );
  const host = document.createElement('div');
  const root = createRoot(host);
  act(() => root.render(<RouterProvider router={router} />));
  const link = () => host.querySelector('a[aria-label="Help for this page"]');
  expect(link()?.getAttribute('href')).toBe('/docs/explanation/inference.html');
  expect(link()?.getAttribute('target')).toBe('_blank');
  await act(() => router.navigate('/elsewhere'));
  expect(link()?.getAttribute('href')).toBe('/docs/');
  act(() => root.unmount());
});
