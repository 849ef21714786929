/** Advance widths of Inter in thousandths of the font size, from the space to the tilde, by weight. */
const regular =
  '281 288 466 633 642 982 644 300 365 365 501 662 288 460 288 360 631 407 610 618 646 593 620 566 619 620 288 302 662 662 662 511 966 690 654 730 722 601 590 746 743 269 571 672 565 903 753 765 639 765 644 642 646 744 690 985 682 679 629 365 360 365 471 456 323 562 612 571 612 583 370 613 591 242 242 549 242 876 591 600 612 612 376 528 327 591 562 818 546 562 552 426 333 426 662';
const strong =
  '252 321 523 644 650 1004 663 326 373 373 540 673 319 465 319 379 660 423 623 636 666 612 640 576 640 640 319 329 673 673 673 543 999 728 659 737 722 605 588 749 746 277 580 703 565 922 759 769 645 773 652 650 660 736 728 1020 720 713 652 373 379 373 481 469 351 574 624 583 624 591 389 625 612 262 262 569 262 900 612 609 624 624 397 549 353 612 587 839 569 588 566 455 359 455 673';
/** Widths of other characters in figures, in both weights. */
const others: readonly [string, number, number][] = [
  ['\u00a0', 281, 252],
  ['·', 288, 319],
  ['×', 662, 673],
  ['−', 662, 673],
  ['–', 500, 500],
  ['µ', 586, 614],
  ['±', 662, 673],
  ['²', 442, 454],
  ['’', 261, 294],
  ['“', 440, 507],
  ['”', 440, 501],
  ['…', 864, 956],
  ['Δ', 684, 774],
];

/** Width of any other character. */
const usualWidth = 640;
/** Default size of labels. */
const sizePx = 11;

function tableOf(widths: string, column: 1 | 2): ReadonlyMap<string, number> {
  return new Map([
    ...widths.split(' ').map((width, i) => [String.fromCharCode(32 + i), Number(width)] as const),
    ...others.map((other) => [other[0], other[column]] as const),
  ]);
}

const regularWidths = tableOf(regular, 1);
const strongWidths = tableOf(strong, 2);

function widthOf(character: string): number {
  return regularWidths.get(character) ?? usualWidth;
}

type TextStyle = { size?: number; weight?: 400 | 500 | 600 };

/** Returns the width of a text in px, on the page and in files. It is exact for Inter, except for kerning. */
export function textWidth(text: string, { size = sizePx, weight = 400 }: TextStyle = {}): number {
  const share = (weight - 400) / 200;
  let total = 0;
  for (const character of text) {
    const thin = widthOf(character);
    total += thin + share * ((strongWidths.get(character) ?? thin) - thin);
  }
  return (total * size) / 1000;
}

/** Wraps words into as many lines as the width requires. A word that is too wide has a separate line. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const together = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && textWidth(together) * 1.08 <= width) lines[lines.length - 1] = together;
    else lines.push(word);
  }
  return lines;
}

/** Minimum number of characters before an ellipsis. */
const minCharacters = 3;

/** Cuts a text to the width with an ellipsis; reads no more characters than fit. */
export function shorten(text: string, width: number): string {
  let total = 0;
  let length = 0;
  let cutAt = minCharacters;
  for (const character of text) {
    total += widthOf(character);
    length += character.length;
    const pixels = ((total * sizePx) / 1000) * 1.12;
    if (pixels > width - 6 && length > minCharacters) return `${text.slice(0, cutAt)}…`;
    if (pixels <= width - 14) cutAt = Math.max(minCharacters, length);
  }
  return ((total * sizePx) / 1000) * 1.12 <= width - 6 ? text : `${text.slice(0, cutAt)}…`;
}

/** Returns the largest width, in whole px. */
export function widest(widths: readonly number[]): number {
  return Math.ceil(Math.max(0, ...widths));
}
