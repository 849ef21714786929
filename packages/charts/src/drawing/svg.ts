/** An SVG element as data, for the page and for files. It uses React's attribute names. */
export interface SvgNode {
  tag: string;
  attrs: Readonly<Record<string, string | number>>;
  children: readonly (SvgNode | string)[];
}

/** A complete drawing with its size in CSS pixels. */
export interface Picture {
  width: number;
  height: number;
  /** Text alternative. */
  label: string;
  nodes: readonly SvgNode[];
}

export function el(
  tag: string,
  attrs: Readonly<Record<string, string | number | undefined>>,
  children: readonly (SvgNode | string)[] = [],
): SvgNode {
  const known = Object.entries(attrs).flatMap(([name, value]): [string, string | number][] =>
    value === undefined ? [] : [[name, typeof value === 'number' ? round(value) : value]],
  );
  return { tag, attrs: Object.fromEntries(known), children };
}

/** Rounds to a precision that is invisible on screen and in print. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Returns a standalone SVG document; `widthMm` sets its printed width. */
export function toSvgText(picture: Picture, { widthMm }: { widthMm?: number } = {}): string {
  const { width, height, label, nodes } = picture;
  const size =
    widthMm === undefined
      ? { width, height }
      : { width: `${widthMm}mm`, height: `${round((widthMm * height) / width)}mm` };
  const root = el(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      ...size,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      fontFamily: figureFont,
      fontSize: 11,
    },
    [el('title', {}, [label]), ...nodes],
  );
  return nodeText(root);
}

export const figureFont = "'Inter Variable', Inter, 'Helvetica Neue', Arial, sans-serif";

const kept = new Set(['viewBox', 'preserveAspectRatio', 'textLength', 'lengthAdjust']);

function nodeText({ tag, attrs, children }: SvgNode): string {
  const written = Object.entries(attrs).map(
    ([name, value]) => ` ${attributeName(name)}="${escapeXml(String(value))}"`,
  );
  const inside = children.map((child) => (typeof child === 'string' ? escapeXml(child) : nodeText(child)));
  return `<${tag}${written.join('')}${inside.length > 0 ? `>${inside.join('')}</${tag}>` : '/>'}`;
}

function attributeName(name: string): string {
  return kept.has(name) ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
