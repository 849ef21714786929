import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';

/** Whether two drafts say the same, in whatever order their fields stand. */
export function isSameDraft(a: ExperimentDraft, b: ExperimentDraft): boolean {
  return a === b || canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([x], [y]) => (x < y ? -1 : 1)))
      : part,
  );
}
