export type MarkerPlace = { x: number; y: number; size: number };
export type MarkerShape = { d: string; isStroke: boolean };

/** SVG path of marker 1 to 8 (circle, square, triangle, diamond, triangle down, cross, plus, star), of equal visual weight. */
export function markerPath(style: number, { x, y, size: s }: MarkerPlace): MarkerShape {
  const shape = SHAPES[style - 1] ?? SHAPES[0]!;
  const points = shape.lines.map((line) =>
    line.map(([dx, dy], i) => `${i === 0 ? 'M' : 'L'}${round(x + dx * s)} ${round(y + dy * s)}`).join(''),
  );
  if (shape.isCircle) {
    const left = round(x - s);
    return {
      d: `M${left} ${round(y)}a${s} ${s} 0 1 0 ${2 * s} 0a${s} ${s} 0 1 0 ${-2 * s} 0Z`,
      isStroke: false,
    };
  }
  return { d: points.join('') + (shape.isStroke ? '' : 'Z'), isStroke: shape.isStroke === true };
}

type Offset = readonly [number, number];
type Shape = { lines: readonly (readonly Offset[])[]; isStroke?: boolean; isCircle?: boolean };

const line = (dx: number, dy: number): readonly Offset[] => [
  [-dx, -dy],
  [dx, dy],
];

const SHAPES: readonly Shape[] = [
  { lines: [], isCircle: true },
  {
    lines: [
      [
        [-0.9, -0.9],
        [0.9, -0.9],
        [0.9, 0.9],
        [-0.9, 0.9],
      ],
    ],
  },
  {
    lines: [
      [
        [0, -1.15],
        [1.1, 0.85],
        [-1.1, 0.85],
      ],
    ],
  },
  {
    lines: [
      [
        [0, -1.3],
        [1.3, 0],
        [0, 1.3],
        [-1.3, 0],
      ],
    ],
  },
  {
    lines: [
      [
        [0, 1.15],
        [1.1, -0.85],
        [-1.1, -0.85],
      ],
    ],
  },
  { lines: [line(0.95, 0.95), line(0.95, -0.95)], isStroke: true },
  { lines: [line(1.2, 0), line(0, 1.2)], isStroke: true },
  { lines: [line(1.2, 0), line(0, 1.2), line(0.85, 0.85), line(0.85, -0.85)], isStroke: true },
];

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
