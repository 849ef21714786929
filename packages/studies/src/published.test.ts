import { describe, expect, it } from 'vitest';
import { findPublished, type PublishedValue, publishedNumber, publishedValues } from './published.ts';
import { studies } from './studies.ts';
import { publishedLines } from './testing/published-lines.ts';

/** Copied text at a line of the full text; throws if the line is missing, so that no check is skipped. */
function lineOf(study: string, line: number): string {
  const text = publishedLines[study]?.[line];
  if (text === undefined) throw new Error(`line ${line} of ${study} is not there`);
  return text;
}

function figuresIn(text: string): number[] {
  return (text.match(/\d[\d,]*(\.\d+)?/g) ?? []).map((figure) => Number(figure.replaceAll(',', '')));
}

const named = (one: PublishedValue) =>
  [`${one.study} ${one.table}: ${one.metric} of ${one.treatment}, line ${one.line}`, one] as const;

/** A published figure; throws if it is missing, so that no check is skipped. */
function figure(...[study, table, metric, treatment]: [string, string, string, string]): number {
  const value = publishedNumber({ study, table, metric, treatment });
  if (value === null) throw new Error(`no ${metric} of ${treatment}`);
  return value;
}

describe('published values', () => {
  it('belong to known studies, once each, with unit and source', () => {
    const ids = studies.map(({ id }) => id);
    const keys = publishedValues.map((one) => [one.study, one.table, one.metric, one.treatment].join('|'));
    expect(new Set(keys).size).toBe(keys.length);
    for (const { study, value, place } of publishedValues) {
      expect(ids).toContain(study);
      expect(Number.isFinite(value)).toBe(true);
      expect(place).not.toBe('');
    }
  });

  it.each(publishedValues.map(named))(
    '%s stands there, as printed',
    (_name, { study, value, line, printed }) => {
      const text = lineOf(study, line);
      expect(figuresIn(text)).toContain(value);
      for (const words of printed) expect(text).toContain(words);
    },
  );

  it('state only conditions found at the named lines', () => {
    for (const { study, conditions } of publishedValues) {
      for (const { printed, line } of conditions) {
        expect(printed.length).toBeGreaterThan(0);
        for (const words of printed) expect(lineOf(study, line)).toContain(words);
      }
    }
  });

  it.each([
    ['TCP', [194, 148, 424, 268]],
    ['TLS', [3382, 262, 512, 380]],
  ])('bytes to reach a state over %s, as printed', (way, printed) => {
    const of = (state: string) => figure('rpi-broker', 'bytes-to-state', 'bytes', `${way} ${state}`);
    expect(['CON', 'SUB', 'PUB', 'DISC'].map(of)).toEqual(printed);
  });

  it('TLS needs 17.43 times the bytes of TCP to connect, as published', () => {
    const bytes = (way: string) => figure('rpi-broker', 'bytes-to-state', 'bytes', `${way} CON`);
    expect(bytes('TLS') / bytes('TCP')).toBeCloseTo(17.43, 2);
  });

  it('the line through the broker’s CPU reaches 400 % at the published point', () => {
    const of = (metric: string) => figure('rpi-broker', 'subscribers', metric, 'TLS QoS 0');
    expect((400 - of('intercept')) / of('slope')).toBeCloseTo(of('saturation'), 1);
    const cpu = (subscribers: number) =>
      figure('rpi-broker', 'subscribers', 'broker CPU', `TLS QoS 0 ${subscribers} subscribers`);
    for (const subscribers of [10, 100]) {
      expect(Math.abs(of('intercept') + of('slope') * subscribers - cpu(subscribers))).toBeLessThan(1);
    }
  });

  it.each([
    ['MQTT', [6.07, 5.73, 2.81, 0.59, 0.54, 0.35]],
    ['CoAP', [6.0, 6.03, 6.03, 6.15, 6.25, 6.09]],
  ])('throughput of %s by loss, as printed', (way, printed) => {
    const of = (loss: number) => figure('rpi-broker', 'loss', 'throughput', `${way} ${loss}%`);
    expect([0, 2, 4, 6, 8, 10].map(of)).toEqual(printed);
  });

  it('energy and battery life are consistent, as published', () => {
    const of = (metric: string, treatment: string) => figure('stability-aware', 'summary', metric, treatment);
    const energy = (treatment: string) => of('cumulative energy', treatment);
    expect((energy('TLS 1.2') / energy('plain') - 1) * 100).toBeCloseTo(18.2, 1);
    expect((energy('TLS 1.2') / energy('ECDH+AES-128-CBC') - 1) * 100).toBeCloseTo(9.2, 1);
    for (const treatment of ['plain', 'TLS 1.2', 'ECDH+AES-128-CBC']) {
      // mA over 600 s in mAh; months fall as the mean current rises.
      expect(Math.abs(of('mean current', treatment) / 6 - energy(treatment))).toBeLessThan(0.01);
      const months = (12 * of('mean current', 'plain')) / of('mean current', treatment);
      expect(Math.abs(months - of('battery life', treatment))).toBeLessThan(0.06);
    }
    expect(of('mean latency', 'plain')).toBe(24.8);
    expect(of('RAM', 'TLS 1.2')).toBe(73.9);
  });

  it('variations and projections of stability-aware have the role and the place of their lines', () => {
    const values = findPublished({ study: 'stability-aware' });
    for (const { metric, role, place, line } of values) {
      if (metric.endsWith(', receiver')) expect(role, metric).toBe('receiver');
      expect(place.startsWith('Table 4'), `${metric}, line ${line}`).toBe(line >= 260 && line <= 264);
      expect(place.startsWith('Table 5'), `${metric}, line ${line}`).toBe(line >= 271 && line <= 273);
      if (line === 253 || line === 521) expect(place).toContain('in prose');
    }
    expect(values.filter(({ role }) => role === 'receiver')).toHaveLength(6);
  });

  it('best is better than worst if both are published', () => {
    const printed = findPublished({ study: 'cipher-suites', table: 'best-worst' });
    const pairs = Map.groupBy(printed, ({ treatment }) => treatment.split(/ best | worst /)[0] ?? '');
    expect(pairs.size).toBe(9);
    for (const [what, pair] of pairs) {
      const [best, worst] = ['best', 'worst'].map(
        (word) => pair.find(({ treatment }) => treatment.includes(` ${word} `))?.value ?? Number.NaN,
      );
      expect(best, what).toBeGreaterThan(worst ?? Number.NaN);
    }
    expect(printed.map(({ value }) => value).reduce((sum, value) => sum + value, 0)).toBe(330_539);
  });

  it('the run of ChaCha20-Poly1305 at the publisher, as published', () => {
    const of = (metric: string) =>
      figure('hecs4mqtt', 'publisher-run', metric, 'ChaCha20-Poly1305 100 messages');
    expect([of('cycles'), of('instructions'), of('cache references'), of('cache misses')]).toEqual([
      76_346_613, 65_850_965, 2_597_795, 1_993_382,
    ]);
    expect([of('elapsed'), of('task clock'), of('throughput')]).toEqual([51.07, 93.23, 12_938.14]);
    const p = findPublished({ study: 'hecs4mqtt', table: 'approximate-entropy' });
    expect(p.map(({ value }) => value)).toEqual([0.457, 0.403, 0.846, 0.296, 0.607]);
    const rounds = findPublished({ study: 'hecs4mqtt', table: 'approximate-entropy-rounds' });
    const mean = rounds.reduce((sum, { value }) => sum + value, 0) / rounds.length;
    expect(mean).toBeCloseTo(0.607, 3);
  });
});
