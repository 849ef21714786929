import type { SvgNode } from '@mqttlab/charts/drawing/svg';

type Attributes = SvgNode['attrs'];

/** Paints a drawing on a canvas; supports the elements and attributes of figures. */
export function paintNodes(
  ctx: CanvasRenderingContext2D,
  nodes: SvgNode['children'],
  fontFamily: string,
): void {
  for (const node of nodes) {
    if (typeof node === 'string' || node.tag === 'title') continue;
    const { tag, attrs, children } = node;
    ctx.save();
    ctx.globalAlpha *= Number(attrs.opacity ?? 1);
    if (tag === 'text') {
      paintText(ctx, attrs, { text: children.join(''), fontFamily });
    } else if (tag === 'g' || tag === 'svg') {
      if (tag === 'svg') ctx.clip(rectPath(attrs));
      if (attrs.transform !== undefined) applyTransform(ctx, String(attrs.transform));
      paintNodes(ctx, children, fontFamily);
    } else {
      paintShape(ctx, shapeOf(node), attrs);
    }
    ctx.restore();
  }
}

/** Applies "translate(x y)" or "rotate(degrees x y)". */
function applyTransform(ctx: CanvasRenderingContext2D, transform: string): void {
  const [, name, list = ''] = /^(translate|rotate)\(([^)]*)\)$/.exec(transform) ?? [];
  const [a = 0, b = 0, c = 0] = list.split(' ').map(Number);
  if (name === 'translate') ctx.translate(a, b);
  else if (name === 'rotate') {
    ctx.translate(b, c);
    ctx.rotate((a * Math.PI) / 180);
    ctx.translate(-b, -c);
  } else throw new RangeError(`a figure has no transform ${transform}`);
}

function paintShape(ctx: CanvasRenderingContext2D, path: Path2D, attrs: Attributes): void {
  const { fill = 'none', stroke = 'none', strokeDasharray, strokeLinejoin } = attrs;
  const alpha = ctx.globalAlpha;
  if (fill !== 'none') {
    ctx.globalAlpha = alpha * Number(attrs.fillOpacity ?? 1);
    ctx.fillStyle = String(fill);
    ctx.fill(path);
  }
  if (stroke === 'none') return;
  ctx.globalAlpha = alpha;
  ctx.strokeStyle = String(stroke);
  ctx.lineWidth = Number(attrs.strokeWidth ?? 1);
  ctx.lineJoin = (strokeLinejoin ?? 'miter') as CanvasLineJoin;
  ctx.setLineDash(strokeDasharray === undefined ? [] : String(strokeDasharray).split(' ').map(Number));
  ctx.stroke(path);
}

const aligned: Readonly<Record<string, CanvasTextAlign>> = { middle: 'center', end: 'right' };

function paintText(
  ctx: CanvasRenderingContext2D,
  attrs: Attributes,
  { text, fontFamily }: { text: string; fontFamily: string },
): void {
  const [x, y] = numbers(attrs, ['x', 'y']);
  ctx.font = `${attrs.fontWeight ?? 400} ${attrs.fontSize ?? 11}px ${fontFamily}`;
  ctx.textAlign = aligned[String(attrs.textAnchor)] ?? 'left';
  if (attrs.stroke !== undefined) {
    ctx.strokeStyle = String(attrs.stroke);
    ctx.lineWidth = Number(attrs.strokeWidth ?? 1);
    ctx.lineJoin = 'round';
    ctx.strokeText(text, x, y);
  }
  ctx.fillStyle = String(attrs.fill);
  ctx.fillText(text, x, y);
}

function shapeOf({ tag, attrs }: SvgNode): Path2D {
  if (tag === 'path') return new Path2D(String(attrs.d));
  if (tag === 'rect') return rectPath(attrs);
  const path = new Path2D();
  if (tag === 'circle') {
    const [cx, cy, r] = numbers(attrs, ['cx', 'cy', 'r']);
    path.arc(cx, cy, r, 0, 2 * Math.PI);
  } else if (tag === 'line') {
    const [x1, y1, x2, y2] = numbers(attrs, ['x1', 'y1', 'x2', 'y2']);
    // Thin vertical and horizontal lines are aligned with the pixel grid.
    const isThin = Number(attrs.strokeWidth ?? 1) <= 1;
    const snap = (value: number, isAlong: boolean) =>
      isThin && isAlong ? Math.round(value - 0.5) + 0.5 : value;
    path.moveTo(snap(x1, x1 === x2), snap(y1, y1 === y2));
    path.lineTo(snap(x2, x1 === x2), snap(y2, y1 === y2));
  } else {
    throw new RangeError(`a figure has no <${tag}>`);
  }
  return path;
}

function rectPath(attrs: Attributes): Path2D {
  const path = new Path2D();
  path.roundRect(...numbers(attrs, ['x', 'y', 'width', 'height']), Number(attrs.rx ?? 0));
  return path;
}

function numbers<const Names extends readonly string[]>(
  attrs: Attributes,
  names: Names,
): { [Index in keyof Names]: number } {
  return names.map((name) => Number(attrs[name] ?? 0)) as { [Index in keyof Names]: number };
}
