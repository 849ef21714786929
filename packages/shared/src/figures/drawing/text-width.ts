/** Advance widths of Inter in thousandths of the font size, by class of character; others count as 560. */
const widths: readonly [RegExp, number][] = [
  [/[ilj.,:;'|!]/, 270],
  [/[ftr()[\]\- \u00a0]/, 370],
  [/[mMW%@]/, 880],
  [/[A-Z]/, 670],
  [/[0-9]/, 620],
];

const otherWidth = 560;
/** Of the labels of figures, unless said otherwise. */
const sizePx = 11;
/** By code unit: looking at every character with five patterns took seconds for long names. */
const widthOf = Array.from(
  { length: 256 },
  (_, code) => widths.find(([pattern]) => pattern.test(String.fromCharCode(code)))?.[1] ?? otherWidth,
);

/** About how wide a text is in pixels: good to a few percent, for margins and for what would overlap. */
export function textWidth(text: string, size = sizePx): number {
  let total = 0;
  for (const character of text) total += widthOf[character.charCodeAt(0)] ?? otherWidth;
  return (total * size) / 1000;
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

/** An ellipsis behind fewer says nothing. */
const minCharacters = 3;

/** Cut to the width with an ellipsis. Looks no further than what fits. */
export function shorten(text: string, width: number): string {
  let total = 0;
  let length = 0;
  let cutAt = minCharacters;
  for (const character of text) {
    total += widthOf[character.charCodeAt(0)] ?? otherWidth;
    length += character.length;
    const pixels = ((total * sizePx) / 1000) * 1.12;
    if (pixels > width - 6 && length > minCharacters) return `${text.slice(0, cutAt)}…`;
    if (pixels <= width - 14) cutAt = Math.max(minCharacters, length);
  }
  return ((total * sizePx) / 1000) * 1.12 <= width - 6 ? text : `${text.slice(0, cutAt)}…`;
}
