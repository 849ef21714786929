import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';
import '@mantine/notifications/styles.layer.css';
import './ui/tokens.css';
import './ui/base.css';
import './ui/mantine.css';
import { openAhead } from './open-ahead.ts';
import { pages, sharedPage } from './pages.ts';

// Builds add each component's styles to it (vite.config.ts); in development, all styles are imported here.
if (import.meta.env.DEV) void import('@mantine/core/styles.layer.css');

// The first requests, the application and the page at this address load in parallel. No await, because the
// application also imports this module and would wait forever.
const page = openAhead([...pages, sharedPage], location);
const asked = page?.ask() ?? [];
const application = import('./app.tsx');
page?.load();
void application.then(({ mount }) => mount(asked));
