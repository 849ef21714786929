import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { createBrowserRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import type { Asked } from './api/asked.ts';
import { LiveProvider } from './live/live-provider.tsx';
import { makeQueryClient } from './query-client.ts';
import { routes } from './routes.tsx';
import { ShellStatusProvider } from './ui/shell/shell-status.tsx';
import { cssVariablesResolver, theme } from './ui/theme.ts';

const colorSchemeManager = localStorageColorSchemeManager({ key: 'mqttlab-colour-scheme' });

export function App({ asked }: { asked: readonly Asked[] }): ReactElement {
  const [queryClient] = useState(() => makeQueryClient(asked));
  const [router] = useState(() => createBrowserRouter(routes));
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queryClient}>
        <ShellStatusProvider>
          <LiveProvider>
            <RouterProvider router={router} />
          </LiveProvider>
        </ShellStatusProvider>
      </QueryClientProvider>
      <Notifications position="bottom-center" limit={3} containerWidth={420} />
    </MantineProvider>
  );
}
