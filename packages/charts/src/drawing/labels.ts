// biome-ignore-all lint/style/noNonNullAssertion: indices run within the length of their array

import { textWidth } from './text-width.ts';

export interface PointLabel {
  text: string;
  /** Position of the point. */
  x: number;
  y: number;
  isStrong: boolean;
  /** Left and right end of the point's horizontal interval, which the label does not cover. */
  across?: readonly [number, number] | undefined;
}

export interface PlacedLabel extends PointLabel {
  anchor: 'start' | 'end';
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const away = 8;
const lineHeight = 13;
/** Half the size of a marker, which no label may cover. */
const markerPx = 6;

/**
 * Places each label next to its point without covering a point or an earlier label. Labels without room are
 * omitted, because the point's tooltip shows its name.
 */
export function placeLabels(labels: readonly PointLabel[], area: Box): PlacedLabel[] {
  const taken: Box[] = labels.map(({ x, y }) => ({
    left: x - markerPx,
    right: x + markerPx,
    top: y - markerPx,
    bottom: y + markerPx,
  }));
  return labels.flatMap((label) => {
    for (const anchor of ['start', 'end'] as const) {
      for (const down of [0, -lineHeight, lineHeight, -2 * lineHeight, 2 * lineHeight]) {
        const x = label.x + (anchor === 'start' ? away : -away);
        const box = boxOf(label.text, { x, y: label.y + down, anchor });
        if (!isInside(box, area) || liesOnOwn(box, label) || taken.some((other) => overlap(box, other)))
          continue;
        taken.push(box);
        return [{ ...label, x, y: label.y + down, anchor }];
      }
    }
    return [];
  });
}

/** Returns true if a label covers the interval of the point that it names. */
function liesOnOwn({ left, right, top, bottom }: Box, { across, y }: PointLabel): boolean {
  return across !== undefined && left < across[1] && across[0] < right && top < y && y < bottom;
}

function boxOf(text: string, at: { x: number; y: number; anchor: PlacedLabel['anchor'] }): Box {
  const width = textWidth(text);
  const left = at.anchor === 'start' ? at.x : at.x - width;
  return { left, right: left + width, top: at.y - lineHeight / 2, bottom: at.y + lineHeight / 2 };
}

function isInside(box: Box, area: Box): boolean {
  return box.left >= area.left && box.right <= area.right && box.top >= area.top && box.bottom <= area.bottom;
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

export type SpreadRequest = { gap: number; min: number; max: number };

/**
 * Moves label centres to a distance of at least `gap`, between `min` and `max`, as close to their original
 * positions as possible.
 */
export function spreadLabels(wanted: readonly number[], { gap, min, max }: SpreadRequest): number[] {
  const order = wanted.map((y, i) => ({ y, i })).sort((a, b) => a.y - b.y);
  const placed = order.map(({ y }) => Math.min(max, Math.max(min, y)));
  for (let pass = 0; pass < 24; pass += 1) {
    for (let k = 1; k < placed.length; k += 1) {
      const missing = gap - (placed[k]! - placed[k - 1]!);
      if (missing <= 0) continue;
      placed[k - 1]! -= missing / 2;
      placed[k]! += missing / 2;
    }
    placed[0] = Math.max(min, placed[0] ?? min);
    for (let k = 1; k < placed.length; k += 1) placed[k] = Math.max(placed[k]!, placed[k - 1]! + gap * 0.999);
    for (let k = placed.length - 1; k >= 0; k -= 1) {
      const ceiling = k === placed.length - 1 ? max : placed[k + 1]! - gap * 0.999;
      placed[k] = Math.min(placed[k]!, ceiling);
    }
  }
  const result = new Array<number>(wanted.length);
  order.forEach(({ i }, k) => {
    result[i] = placed[k]!;
  });
  return result;
}
