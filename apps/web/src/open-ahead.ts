import type { Asked } from './api/client.ts';
import type { PageEntry } from './pages.ts';

type Address = { pathname: string; search: string };

/** A page at its address, with functions that load its code and send its first requests. */
type OpeningPage = { load(): void; ask(): Asked[] };

/** Returns the page at an address; null if there is none (the router reports that). */
export function openAhead(pages: readonly PageEntry[], { pathname, search }: Address): OpeningPage | null {
  for (const { path, load, ask } of pages) {
    const names = matchPath(path, pathname);
    if (!names) continue;
    return {
      // The page that uses the responses reports errors.
      load: () => void load().catch(() => undefined),
      ask: () => {
        const asked = ask?.(names, new URLSearchParams(search)) ?? [];
        for (const { answer } of asked) answer.catch(() => undefined);
        return asked;
      },
    };
  }
  return null;
}

/**
 * Returns the parameters in an address for a path such as "runs/:id/:step?"; null if the path does not match.
 */
export function matchPath(path: string, pathname: string): Record<string, string> | null {
  const parts = pathname.split('/').filter(Boolean);
  const names = path.split('/').filter(Boolean);
  const least = names.filter((name) => !name.endsWith('?')).length;
  if (parts.length < least || parts.length > names.length) return null;
  const found: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const name = names[i] ?? '';
    if (name.startsWith(':')) found[name.replace(/[:?]/g, '')] = part;
    else if (name !== part) return null;
  }
  return found;
}
