import { el, type SvgNode } from '@mqttlab/shared/figures/drawing/svg';

type Matrix = readonly [number, number, number, number, number, number];

/** x, y, width, height; for an arc x, y, radius, from. */
type Box = [number, number, number, number];

interface PaintState {
  matrix: Matrix;
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  lineCap: string;
  lineJoin: string;
  dash: readonly number[];
  font: string;
  textAlign: string;
  textBaseline: string;
  globalAlpha: number;
  clip: string | null;
}

const start: PaintState = {
  matrix: [1, 0, 0, 1, 0, 0],
  fillStyle: '#000',
  strokeStyle: '#000',
  lineWidth: 1,
  lineCap: 'butt',
  lineJoin: 'miter',
  dash: [],
  font: '10px sans-serif',
  textAlign: 'start',
  textBaseline: 'alphabetic',
  globalAlpha: 1,
  clip: null,
};

const anchors: Readonly<Record<string, string>> = { center: 'middle', right: 'end', end: 'end' };
/** Where the line of a text lies below its y, in font sizes. */
const baselines: Readonly<Record<string, number>> = { middle: 0.35, top: 0.8, hanging: 0.8, bottom: -0.2 };

/** Recorders by the context that feeds them. */
const recorders = new WeakMap<CanvasRenderingContext2D, SvgRecorder>();

/** The recorder behind a context; undefined for one that paints. */
export function recorderOf(ctx: CanvasRenderingContext2D): SvgRecorder | undefined {
  return recorders.get(ctx);
}

/**
 * A 2D context that keeps what is drawn as SVG: the part of the interface that Chart.js and the kit use. Texts are
 * measured by the canvas, so that everything lies where it would on screen.
 */
export function recordingContext(canvas: HTMLCanvasElement): {
  ctx: CanvasRenderingContext2D;
  recorder: SvgRecorder;
} {
  const real = canvas.getContext('2d');
  if (!real) throw new Error('this browser offers no 2D canvas');
  const recorder = new SvgRecorder((text) => real.measureText(text).width);
  const ctx = new Proxy(real, {
    get(target, name) {
      if (name === 'canvas') return canvas;
      if (name === 'measureText') return target.measureText.bind(target);
      const own = recorder.read(name);
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set(target, name, value) {
      recorder.write(name, value);
      return Reflect.set(target, name, value);
    },
  });
  recorders.set(ctx, recorder);
  return { ctx, recorder };
}

export class SvgRecorder {
  nodes: SvgNode[] = [];
  /** Width of a text in the font of the moment; without it readers use their own. */
  readonly #widthOf: ((text: string) => number) | undefined;
  #state: PaintState = start;
  readonly #saved: PaintState[] = [];
  #d = '';
  #clips = 0;
  readonly #id = `c${Math.random().toString(36).slice(2, 8)}`;

  constructor(widthOf?: (text: string) => number) {
    this.#widthOf = widthOf;
  }

  readonly #calls: Readonly<Record<string, (...values: never[]) => unknown>> = {
    save: () => this.#saved.push(this.#state),
    restore: () => {
      this.#state = this.#saved.pop() ?? start;
    },
    setTransform: (a: number | DOMMatrix2DInit, ...rest: number[]) => {
      if (typeof a === 'number') this.#change({ matrix: [a, ...rest] as unknown as Matrix });
    },
    resetTransform: () => this.#change({ matrix: start.matrix }),
    translate: (x: number, y: number) => this.#multiply([1, 0, 0, 1, x, y]),
    scale: (x: number, y: number) => this.#multiply([x, 0, 0, y, 0, 0]),
    rotate: (angle: number) =>
      this.#multiply([Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0]),
    beginPath: () => {
      this.#d = '';
    },
    closePath: () => {
      this.#d += 'Z';
    },
    moveTo: (x: number, y: number) => this.#add('M', [x, y]),
    lineTo: (x: number, y: number) => this.#add(this.#d === '' ? 'M' : 'L', [x, y]),
    bezierCurveTo: (...points: number[]) => this.#add('C', points),
    quadraticCurveTo: (...points: number[]) => this.#add('Q', points),
    arc: (...[x, y, r, from, to]: [...Box, number]) => this.#arc([x, y], r, [from, to]),
    rect: (...[x, y, w, h]: Box) => this.#rect(x, y, [w, h]),
    roundRect: (...[x, y, w, h]: Box) => this.#rect(x, y, [w, h]),
    fill: () => this.path(this.#d, 'fill'),
    stroke: () => this.path(this.#d, 'stroke'),
    clip: () => this.#clip(),
    fillRect: (...[x, y, w, h]: Box) => this.#box(x, y, [w, h, 'fill']),
    strokeRect: (...[x, y, w, h]: Box) => this.#box(x, y, [w, h, 'stroke']),
    clearRect: () => {},
    setLineDash: (dash: number[]) => this.#change({ dash: [...dash] }),
    fillText: (text: string, x: number, y: number) => this.#text(text, [x, y], 'fill'),
    strokeText: (text: string, x: number, y: number) => this.#text(text, [x, y], 'stroke'),
  };

  /** undefined for what the recorder does not know. */
  read(name: string | symbol): unknown {
    if (typeof name !== 'string') return undefined;
    return this.#calls[name] ?? (name in this.#state ? this.#state[name as keyof PaintState] : undefined);
  }

  write(name: string | symbol, value: unknown): void {
    if (typeof name === 'string' && name in this.#state) this.#change({ [name]: value });
  }

  /** A path in SVG's own words, in the coordinates of the moment. */
  path(d: string, paint: 'fill' | 'stroke', isLocal = false): void {
    if (d === '') return;
    const [a, b, c, e, x, y] = this.#state.matrix;
    const isPlain = a === 1 && b === 0 && c === 0 && e === 1 && x === 0 && y === 0;
    const transform = isLocal && !isPlain ? `matrix(${this.#state.matrix.join(' ')})` : undefined;
    this.#push(el('path', { d, transform, ...this.#paint(paint) }));
  }

  #paint(paint: 'fill' | 'stroke'): Record<string, string | number | undefined> {
    const { fillStyle, strokeStyle, lineWidth, lineCap, lineJoin, dash, globalAlpha } = this.#state;
    const opacity = globalAlpha === 1 ? undefined : globalAlpha;
    if (paint === 'fill') return { fill: String(fillStyle), stroke: undefined, opacity };
    return {
      fill: 'none',
      stroke: String(strokeStyle),
      strokeWidth: lineWidth,
      strokeLinecap: lineCap === 'butt' ? undefined : lineCap,
      strokeLinejoin: lineJoin === 'miter' ? undefined : lineJoin,
      strokeDasharray: dash.length > 0 ? dash.join(' ') : undefined,
      opacity,
    };
  }

  #text(text: string, [x, y]: readonly [number, number], paint: 'fill' | 'stroke'): void {
    const { font, textAlign, textBaseline, matrix } = this.#state;
    const parts = /^(?:(\w+)\s+)?(?:(\d{3}|bold|normal)\s+)?([\d.]+)px(?:\/\S+)?\s+(.+)$/.exec(font);
    const size = Number(parts?.[3] ?? 11);
    const weight = [parts?.[2], parts?.[1]].find((word) => word !== undefined && /^(\d{3}|bold)$/.test(word));
    const below = (baselines[textBaseline] ?? 0) * size;
    const [a, b, c, d] = matrix;
    const isTurned = a !== 1 || b !== 0 || c !== 0 || d !== 1;
    const [px, py] = isTurned ? [x, y + below] : this.#point(x, y + below);
    this.#push(
      el(
        'text',
        {
          x: px,
          y: py,
          transform: isTurned ? `matrix(${matrix.join(' ')})` : undefined,
          fontFamily: (parts?.[4] ?? 'sans-serif').replaceAll('"', "'"),
          fontSize: size,
          fontWeight: weight,
          textAnchor: anchors[textAlign],
          // Whoever opens the file may lack the font: the text keeps its width all the same.
          textLength: this.#widthOf?.(text),
          lengthAdjust: this.#widthOf ? 'spacingAndGlyphs' : undefined,
          ...this.#paint(paint),
        },
        [text],
      ),
    );
  }

  #push(node: SvgNode): void {
    const { clip } = this.#state;
    this.nodes.push(clip === null ? node : el('g', { clipPath: `url(#${clip})` }, [node]));
  }

  #clip(): void {
    if (this.#d === '') return;
    this.#clips += 1;
    const id = `${this.#id}-${this.#clips}`;
    this.nodes.push(el('clipPath', { id }, [el('path', { d: this.#d })]));
    this.#change({ clip: id });
  }

  #add(command: string, numbers: readonly number[]): void {
    const points: number[] = [];
    for (let i = 0; i < numbers.length; i += 2)
      points.push(...this.#point(numbers[i] ?? 0, numbers[i + 1] ?? 0));
    this.#d += `${command}${points.map((value) => Math.round(value * 100) / 100).join(' ')}`;
  }

  #rect(x: number, y: number, [w, h]: readonly [number, number]): void {
    this.#add('M', [x, y]);
    for (const corner of [
      [x + w, y],
      [x + w, y + h],
      [x, y + h],
    ]) {
      this.#add('L', corner);
    }
    this.#d += 'Z';
  }

  #box(x: number, y: number, [w, h, paint]: readonly [number, number, 'fill' | 'stroke']): void {
    const kept = this.#d;
    this.#d = '';
    this.#rect(x, y, [w, h]);
    this.path(this.#d, paint);
    this.#d = kept;
  }

  #arc([x, y]: readonly [number, number], r: number, [from, to]: readonly [number, number]): void {
    const at = (angle: number): [number, number] => [x + r * Math.cos(angle), y + r * Math.sin(angle)];
    this.#add(this.#d === '' ? 'M' : 'L', at(from));
    const middle = (from + to) / 2;
    for (const angle of [middle, to]) {
      const [px, py] = this.#point(...at(angle));
      this.#d += `A${r} ${r} 0 0 1 ${Math.round(px * 100) / 100} ${Math.round(py * 100) / 100}`;
    }
  }

  #point(x: number, y: number): [number, number] {
    const [a, b, c, d, e, f] = this.#state.matrix;
    return [a * x + c * y + e, b * x + d * y + f];
  }

  #multiply([a2, b2, c2, d2, e2, f2]: Matrix): void {
    const [a, b, c, d, e, f] = this.#state.matrix;
    this.#change({
      matrix: [
        a * a2 + c * b2,
        b * a2 + d * b2,
        a * c2 + c * d2,
        b * c2 + d * d2,
        a * e2 + c * f2 + e,
        b * e2 + d * f2 + f,
      ],
    });
  }

  #change(part: Partial<PaintState>): void {
    this.#state = { ...this.#state, ...part };
  }
}
