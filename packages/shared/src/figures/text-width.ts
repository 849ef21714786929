/** Advance widths of Inter in thousandths of the font size, by class of character; others count as 560. */
const widths: readonly [RegExp, number][] = [
  [/[ilj.,:;'|!]/, 270],
  [/[ftr()[\]\- \u00a0]/, 370],
  [/[mMW%@]/, 880],
  [/[A-Z]/, 670],
  [/[0-9]/, 620],
];

/** About how wide a text is in pixels: good to a few percent, for margins and for what would overlap. */
export function textWidth(text: string, sizePx = 11): number {
  let total = 0;
  for (const character of text) {
    total += widths.find(([pattern]) => pattern.test(character))?.[1] ?? 560;
  }
  return (total * sizePx) / 1000;
}
