import { expect, it } from 'vitest';
import { Timeline } from './timeline.ts';

const instants = { warmUpAtUs: 100, measureAtUs: 200, stopAtUs: 300 };

it('enters each phase once, at its instant', () => {
  const entered: string[] = [];
  const timeline = new Timeline(instants, (phase) => entered.push(phase));
  expect(timeline.advance(99)).toBe(100);
  expect(timeline.advance(100)).toBe(200);
  expect(timeline.advance(150)).toBe(200);
  expect(timeline.advance(200.5)).toBe(300);
  expect(entered).toEqual(['warm-up', 'measure']);
  expect(timeline.advance(900)).toBe(Number.POSITIVE_INFINITY);
  expect(timeline.advance(901)).toBe(Number.POSITIVE_INFINITY);
  expect(entered).toEqual(['warm-up', 'measure', 'drain']);
});

it('skips nothing when it comes late', () => {
  const entered: string[] = [];
  new Timeline(instants, (phase) => entered.push(phase)).advance(1_000);
  expect(entered).toEqual(['warm-up', 'measure', 'drain']);
});
