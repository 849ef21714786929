import type { Headline } from '@mqttlab/shared/domain/runs/experiment';
import { expect, it } from 'vitest';
import { printPalette } from '../drawing/palette.ts';
import { toSvgText } from '../drawing/svg.ts';
import { drawPreview } from './preview.ts';

const headline = {
  sentence: '**TLS 1.3** has a higher median latency.',
  scale: 'ratio',
  value: 1.26,
  lo: 1.2,
  hi: 1.31,
  figure: '+26 % [20, 31]',
  who: 'TLS 1.3 against Plain',
} as Headline;

it('shows title, finding and interval of a link', () => {
  const text = toSvgText(drawPreview(printPalette, 'Cost of TLS', headline));
  for (const part of ['Cost of TLS', 'TLS 1.3 has a higher median latency.', '+26 % [20, 31]', '<circle']) {
    expect(text).toContain(part);
  }
});

it('shows the finding without an interval, and the title without a finding', () => {
  const withoutInterval = toSvgText(drawPreview(printPalette, 'Cost', { ...headline, lo: null, hi: null }));
  expect(withoutInterval).toContain('TLS 1.3 against Plain');
  expect(withoutInterval).not.toContain('<circle');
  expect(toSvgText(drawPreview(printPalette, 'Cost', null))).not.toContain('against');
});

it('breaks long titles at words and cuts them after two lines', () => {
  const { nodes } = drawPreview(printPalette, 'A long title of many words '.repeat(8).trim(), null);
  const lines = nodes.filter(({ tag, attrs }) => tag === 'text' && attrs.fontSize === 60);
  expect(lines).toHaveLength(2);
  expect(lines[1]?.children[0]).toMatch(/ …$/);
});
