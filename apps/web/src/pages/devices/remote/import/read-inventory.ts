import { issuesOf } from '@mqttlab/shared/domain/issue';
import { type Inventory, inventorySchema } from '@mqttlab/shared/messages/inventory';
import { ApiError } from '../../../../api/client.ts';

const notOne = { type: 'about:blank', title: 'Not an inventory', status: 422 };
const hashPrefix = '#inventory=';

/** Text of an inventory, YAML or JSON. Throws an ApiError that names every field that is wrong. */
export async function readInventory(text: string): Promise<Inventory> {
  const yaml = await import('yaml');
  let document: unknown;
  try {
    document = yaml.parse(text, { maxAliasCount: 0 });
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new ApiError({
      ...notOne,
      issues: [],
      detail: `This is neither YAML nor JSON: ${line}`,
      remedy: 'Take everything that "npm run -s lab -- show" prints, from the first { to the last }.',
    });
  }
  const parsed = inventorySchema.safeParse(document);
  if (parsed.success) return parsed.data;
  throw new ApiError({
    ...notOne,
    detail: 'This does not have the form of an inventory.',
    remedy: 'Compare it with what "npm run -s lab -- show" prints.',
    issues: issuesOf(parsed.error),
  });
}

/** The text that a link of `npm run lab` carries behind its #; null where there is none. */
export function inventoryInHash(hash: string): string | null {
  if (!hash.startsWith(hashPrefix)) return null;
  try {
    const bytes = atob(hash.slice(hashPrefix.length).replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder().decode(Uint8Array.from(bytes, (letter) => letter.charCodeAt(0)));
  } catch {
    return '';
  }
}
