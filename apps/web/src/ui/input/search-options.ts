export interface SearchOption {
  value: string;
  label: string;
  /** Dimmed after the label: its unit. */
  note?: string;
  /** Further words it is found by. */
  words?: string;
  /** What it is, for a tooltip. */
  title?: string;
}

export interface SearchGroup {
  label: string;
  options: readonly SearchOption[];
}

/** Options in which every word of the search occurs, by name, note, group or further words; groups without any are left out. */
export function findOptions(groups: readonly SearchGroup[], search: string): SearchGroup[] {
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  return groups
    .map((group) => ({
      ...group,
      options: group.options.filter((option) => {
        const text =
          `${option.label} ${option.note ?? ''} ${option.words ?? ''} ${group.label}`.toLowerCase();
        return wanted.every((word) => text.includes(word));
      }),
    }))
    .filter((group) => group.options.length > 0);
}
