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

// Only builds add the styles of each component to it (vite.config.ts).
if (import.meta.env.DEV) void import('@mantine/core/styles.layer.css');

// The first requests, the application and the page at this address load in parallel. No await: the application
// imports this module too and would wait forever.
const page = openAhead([...pages, sharedPage], location);
const asked = page?.ask() ?? [];
const application = import('./app.tsx');
page?.load();
void application.then(({ mount }) => mount(asked));
