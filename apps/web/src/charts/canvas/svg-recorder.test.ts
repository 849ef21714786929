// @vitest-environment jsdom
import { el, toSvgText } from '@mqttlab/shared/figures/drawing/svg';
import { describe, expect, it } from 'vitest';
import { SvgRecorder } from './svg-recorder.ts';

type Context = Pick<
  CanvasRenderingContext2D,
  'save' | 'restore' | 'translate' | 'rotate' | 'beginPath' | 'moveTo' | 'lineTo' | 'arc' | 'rect'
> &
  Pick<CanvasRenderingContext2D, 'fill' | 'stroke' | 'clip' | 'setLineDash' | 'fillText' | 'fillRect'>;

/** As the proxy of recordingContext would hand calls and properties on, without a canvas. */
function makeContext() {
  const recorder = new SvgRecorder();
  const ctx = new Proxy({} as Context & CanvasRenderingContext2D, {
    get: (_target, name) => recorder.read(name),
    set: (_target, name, value) => {
      recorder.write(name, value);
      return true;
    },
  });
  const text = () => toSvgText({ width: 100, height: 50, label: 'a', nodes: recorder.nodes });
  return { ctx, text };
}

describe('SvgRecorder', () => {
  it('writes paths with their paint, moved by the transform', () => {
    const { ctx, text } = makeContext();
    ctx.save();
    ctx.translate(10, 5);
    ctx.strokeStyle = '#0072B2';
    ctx.lineWidth = 2;
    ctx.setLineDash([4, 2]);
    ctx.beginPath();
    ctx.moveTo(0, 0);
    ctx.lineTo(20, 0);
    ctx.stroke();
    ctx.restore();
    ctx.fillRect(1, 2, 3, 4);
    expect(text()).toContain(
      '<path d="M10 5L30 5" fill="none" stroke="#0072B2" stroke-width="2" stroke-dasharray="4 2"/>',
    );
    expect(text()).toContain('<path d="M1 2L4 2L4 6L1 6Z" fill="#000"/>');
  });

  it('writes circles, clips and turned texts', () => {
    const { ctx, text } = makeContext();
    ctx.beginPath();
    ctx.arc(10, 10, 5, 0, 2 * Math.PI);
    ctx.fill();
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, 0, 50, 50);
    ctx.clip();
    ctx.font = '600 11px "Inter Variable", sans-serif';
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.fillText('a < b', 20, 20);
    ctx.restore();
    ctx.rotate(-Math.PI / 2);
    ctx.fillText('up', 1, 2);
    const written = text();
    expect(written).toContain('A5 5 0 0 1 5 10A5 5 0 0 1 15 10');
    expect(written).toMatch(/<clipPath id="[\w-]+"><path d="M0 0L50 0L50 50L0 50Z"\/><\/clipPath>/);
    expect(written).toContain('text-anchor="middle"');
    expect(written).toContain('font-weight="600"');
    expect(written).toContain('a &lt; b');
    expect(written).toMatch(/<text x="1" y="2" transform="matrix\(/);
  });

  it('makes a drawing that a parser takes', () => {
    const { ctx, text } = makeContext();
    ctx.fillText('“q” & more', 5, 5);
    const parsed = new DOMParser().parseFromString(text(), 'image/svg+xml');
    expect(parsed.querySelector('parsererror')).toBeNull();
    expect(parsed.querySelector('text')?.textContent).toBe('“q” & more');
    expect(el('g', { x: undefined }).attrs).toEqual({});
  });
});
