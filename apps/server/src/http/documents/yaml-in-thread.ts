import { runInThread } from '../../base/run-in-thread.ts';
import { type DocumentKind, unreadable } from './read-document.ts';

/** Shorter ones are parsed in less time than a thread takes to start. */
const shortCharacters = 20_000;

/**
 * A long document of YAML as JSON text, parsed in a thread of its own; what is short or JSON already comes back as it
 * is. Rejects with a 422 problem.
 */
export async function longYamlAsJson(text: string, kind: DocumentKind): Promise<string> {
  if (text.length <= shortCharacters || isJson(text)) return text;
  return runInThread<string>({
    module: './yaml-worker',
    from: import.meta.url,
    data: { text, kind },
    tooMuch: unreadable(kind, 'it takes too long to read'),
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
