import './ui/styles.ts';
import { openAhead } from './open-ahead.ts';
import { pages, sharedPage } from './pages.ts';

// The first answers of the server, the application and its page at this address come at the same time. No await: the
// application imports what stands here too, and would wait for it for ever.
const page = openAhead([...pages, sharedPage], location);
const asked = page?.ask() ?? [];
const application = import('./mount.tsx');
page?.load();
void application.then(({ mount }) => mount(asked));
