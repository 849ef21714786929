import { issuesOf } from '@mqttlab/shared/domain/issue';
import { ApiError } from '@mqttlab/shared/messages/api-client';
import type * as z from 'zod';

/** What is said of a text that is no document, and of a document that is another one. */
type DocumentWords = {
  title: string;
  noDocument: string;
  noDocumentRemedy: string;
  wrongForm: string;
  wrongFormRemedy: string;
};

/** A text, YAML or JSON, of one form. Throws an ApiError that names every field that is wrong. */
export async function parseDocument<Output>(
  text: string,
  schema: z.ZodType<Output>,
  words: DocumentWords,
): Promise<Output> {
  // The parser is needed only here, so it stays out of the first load.
  const yaml = await import('yaml');
  const problem = { type: 'about:blank', title: words.title, status: 422 };
  let document: unknown;
  try {
    document = yaml.parse(text, { maxAliasCount: 0 });
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    const detail = `${words.noDocument}: ${line}`;
    throw new ApiError({ ...problem, detail, remedy: words.noDocumentRemedy, issues: [] });
  }
  const parsed = schema.safeParse(document);
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error);
  throw new ApiError({ ...problem, detail: words.wrongForm, remedy: words.wrongFormRemedy, issues });
}
