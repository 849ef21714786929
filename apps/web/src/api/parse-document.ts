import { issuesOf } from '@mqttlab/shared/domain/issue';
import { ApiError } from '@mqttlab/shared/messages/api-client';
import type * as z from 'zod';

/** Messages for text that cannot be parsed, and for a document of the wrong type. */
type DocumentWords = {
  title: string;
  noDocument: string;
  noDocumentRemedy: string;
  wrongForm: string;
  wrongFormRemedy: string;
};

/** Parses YAML or JSON with a schema. Throws an ApiError that names every invalid field. */
export async function parseDocument<Output>(
  text: string,
  schema: z.ZodType<Output>,
  words: DocumentWords,
): Promise<Output> {
  // Imported here because only this function uses it, so that it is not part of the initial bundle.
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
