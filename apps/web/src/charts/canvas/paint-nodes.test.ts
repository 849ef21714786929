// @vitest-environment jsdom
import { clipped, label, rule, shade } from '@mqttlab/charts/drawing/marks';
import { el, type SvgNode, toSvgText } from '@mqttlab/charts/drawing/svg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { paintNodes } from './paint-nodes.ts';

/** Records its parts: jsdom has no Path2D. */
class RecordedPath {
  readonly #d: string[] = [];
  constructor(d = '') {
    this.#d.push(d);
  }
  moveTo = (...at: number[]) => this.#d.push(`M${at.join(' ')}`);
  lineTo = (...at: number[]) => this.#d.push(`L${at.join(' ')}`);
  roundRect = (...at: number[]) => this.#d.push(`rect ${at.join(' ')}`);
  arc = (...at: number[]) => this.#d.push(`arc ${at.slice(0, 3).join(' ')}`);
  toString(): string {
    return this.#d.join('');
  }
}

/** Records all calls with their current paint. */
function paint(nodes: readonly SvgNode[]): string[] {
  const calls: string[] = [];
  const saved: object[] = [];
  const state = { globalAlpha: 1, fillStyle: '', strokeStyle: '', lineWidth: 1, font: '', textAlign: '' };
  const ctx = Object.assign(state, {
    save: () => saved.push({ ...state }),
    restore: () => Object.assign(state, saved.pop()),
    setLineDash: (dash: number[]) => dash.length > 0 && calls.push(`dash ${dash.join(' ')}`),
    translate: (x: number, y: number) => calls.push(`translate ${x} ${y}`),
    rotate: (angle: number) => calls.push(`rotate ${angle.toFixed(3)}`),
    clip: (path: RecordedPath) => calls.push(`clip ${path}`),
    fill: (path: RecordedPath) => calls.push(`fill ${path} ${state.fillStyle} ${state.globalAlpha}`),
    stroke: (path: RecordedPath) => calls.push(`stroke ${path} ${state.strokeStyle} ${state.lineWidth}`),
    fillText: (text: string, x: number, y: number) =>
      calls.push(`text ${text} ${x} ${y} ${state.textAlign} ${state.font}`),
    strokeText: (text: string) => calls.push(`halo ${text} ${state.strokeStyle}`),
  });
  paintNodes(ctx as unknown as CanvasRenderingContext2D, nodes, 'Inter');
  return calls;
}

beforeEach(() => vi.stubGlobal('Path2D', RecordedPath));
afterEach(() => vi.unstubAllGlobals());

describe('paintNodes', () => {
  it('paints shapes with their paint, thin straight lines on the pixel grid', () => {
    const calls = paint([
      rule({ from: [10, 5], to: [30, 5], stroke: '#0072B2', dash: '4 2' }),
      rule({ from: [10, 5.2], to: [30, 5.2], stroke: '#0072B2', width: 2 }),
      el('rect', { x: 1, y: 2, width: 3, height: 4, fill: '#000', fillOpacity: 0.5 }),
      ...shade([{ x: 0, lo: 1, hi: 2 }, { x: 4, lo: 1, hi: 2 }, null], { fill: '#111', fillOpacity: 1 }),
    ]);
    expect(calls).toEqual([
      'dash 4 2',
      'stroke M10 5.5L30 5.5 #0072B2 1',
      'stroke M10 5.2L30 5.2 #0072B2 2',
      'fill rect 1 2 3 4 0 #000 0.5',
      'fill M0 2L4 2L4 1L0 1Z #111 1',
    ]);
  });

  it('paints circles, clips and texts, and groups with their opacity', () => {
    const circle = el('circle', { cx: 10, cy: 10, r: 5, fill: '#333' });
    const calls = paint([
      el('g', { opacity: 0.5 }, [clipped({ left: 0, top: 0, right: 50, bottom: 40 }, [circle])]),
      label('a < b', { x: 20, y: 20, fill: '#111', anchor: 'middle', weight: 600, halo: '#fff' }),
    ]);
    expect(calls).toEqual([
      'clip rect 0 0 50 40 0',
      'fill arc 10 10 5 #333 0.5',
      'halo a < b #fff',
      'text a < b 20 24 center 600 11px Inter',
    ]);
  });

  it('translates and rotates groups', () => {
    const circle = el('circle', { cx: 1, cy: 2, r: 3, fill: '#333' });
    expect(
      paint([
        el('g', { transform: 'translate(4 5)' }, [el('g', { transform: 'rotate(-90 6 7)' }, [circle])]),
      ]),
    ).toEqual([
      'translate 4 5',
      'translate 6 7',
      'rotate -1.571',
      'translate -6 -7',
      'fill arc 1 2 3 #333 1',
    ]);
    expect(() => paint([el('g', { transform: 'scale(2)' })])).toThrow('scale(2)');
  });

  it('paints every valid drawing, and rejects unsupported elements', () => {
    const nodes = [label('“q” & more', { x: 5, y: 5, fill: '#111' }), el('title', {}, ['not drawn'])];
    const text = toSvgText({ width: 100, height: 50, label: 'a', nodes });
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
    expect(parsed.querySelector('parsererror')).toBeNull();
    expect(parsed.querySelector('text')?.textContent).toBe('“q” & more');
    expect(paint(nodes)).toEqual(['text “q” & more 5 9 left 400 11px Inter']);
    expect(el('g', { x: undefined }).attrs).toEqual({});
    expect(() => paint([el('image', {})])).toThrow('no <image>');
  });
});
