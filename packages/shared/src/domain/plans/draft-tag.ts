import type { ExperimentDraft } from './experiment-draft.ts';

/** True if two drafts are equal, regardless of the order of their fields. */
export function isSameDraft(a: ExperimentDraft, b: ExperimentDraft): boolean {
  return a === b || canonical(a) === canonical(b);
}

/** Returns the entity tag of a draft (RFC 9110 section 8.8.3); equal drafts have equal tags on all platforms. */
export function draftTag(draft: ExperimentDraft): string {
  // FNV-1a with 64 bits, which protects against accidental collisions; this is sufficient for a tag.
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(canonical(draft))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return `"${hash.toString(36)}"`;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([x], [y]) => (x < y ? -1 : 1)))
      : part,
  );
}
