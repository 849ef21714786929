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

/** Words on as many lines as the width needs; a word wider than that stands alone. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const together = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && textWidth(together) * 1.08 <= width) lines[lines.length - 1] = together;
    else lines.push(word);
  }
  return lines;
}

/** Cut to the width with an ellipsis. */
export function shorten(text: string, width: number): string {
  if (textWidth(text) * 1.12 <= width - 6) return text;
  let cut = text;
  while (cut.length > 3 && textWidth(cut) * 1.12 > width - 14) cut = cut.slice(0, -1);
  return `${cut}…`;
}
