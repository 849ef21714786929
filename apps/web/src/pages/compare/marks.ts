import type { ComparisonViewModel } from './comparison-view-model.ts';

/** The same comparison with every treatment set back but those chosen; none chosen, none set back. */
export function withMarks(model: ComparisonViewModel, marked: readonly string[]): ComparisonViewModel {
  const chosen = new Set(model.shown.map(({ id }) => id).filter((id) => marked.includes(id)));
  if (chosen.size === 0) return model;
  return { ...model, identity: (entry) => ({ ...model.identity(entry), isDimmed: !chosen.has(entry.id) }) };
}
