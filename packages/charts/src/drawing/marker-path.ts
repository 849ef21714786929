export type MarkerPlace = { x: number; y: number; size: number };
export type MarkerShape = { d: string; isStroke: boolean };

/**
 * Returns the SVG path of marker 1 to 8: circle, square, triangle, diamond, triangle down, cross, plus, star.
 * Markers have equal visual weight.
 */
export function markerPath(style: number, { x, y, size: s }: MarkerPlace): MarkerShape {
  const shape = shapes[style - 2];
  if (!shape) {
    const d = `M${round(x - s)} ${round(y)}a${s} ${s} 0 1 0 ${2 * s} 0a${s} ${s} 0 1 0 ${-2 * s} 0Z`;
    return { d, isStroke: false };
  }
  const at = (command: string, [dx, dy]: readonly [number, number]) =>
    `${command}${round(x + dx * s)} ${round(y + dy * s)}`;
  if ('corners' in shape) {
    const corners = pairs(shape.corners).map((corner, i) => at(i === 0 ? 'M' : 'L', corner));
    return { d: `${corners.join('')}Z`, isStroke: false };
  }
  const lines = pairs(shape.ends).map(([dx, dy]) => at('M', [-dx, -dy]) + at('L', [dx, dy]));
  return { d: lines.join(''), isStroke: true };
}

/** Coordinates x, y, x, y of the corners in order, or of one end of each line through the centre. */
type Shape = { corners: readonly number[] } | { ends: readonly number[] };

/** Shapes of markers 2 to 8, relative to the marker size. */
const shapes: readonly Shape[] = [
  { corners: [-0.9, -0.9, 0.9, -0.9, 0.9, 0.9, -0.9, 0.9] },
  { corners: [0, -1.15, 1.1, 0.85, -1.1, 0.85] },
  { corners: [0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0] },
  { corners: [0, 1.15, 1.1, -0.85, -1.1, -0.85] },
  { ends: [0.95, 0.95, 0.95, -0.95] },
  { ends: [1.2, 0, 0, 1.2] },
  { ends: [1.2, 0, 0, 1.2, 0.85, 0.85, 0.85, -0.85] },
];

function pairs(numbers: readonly number[]): (readonly [number, number])[] {
  return Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i] ?? 0, numbers[2 * i + 1] ?? 0]);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
