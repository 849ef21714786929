import { expect, it } from 'vitest';
import { followTimeline, Timeline } from './timeline.ts';

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

it('skips nothing when it is late', () => {
  const entered: string[] = [];
  new Timeline(instants, (phase) => entered.push(phase)).advance(1_000);
  expect(entered).toEqual(['warm-up', 'measure', 'drain']);
});

it('catches up with phases that have begun while its timer is late', () => {
  let nowUs = 0;
  const entered: string[] = [];
  const instants = { warmUpAtUs: 0, measureAtUs: 1_000, stopAtUs: 9_000_000 };
  const { catchUp, cancel } = followTimeline({ nowUs: () => nowUs }, instants, (phase) =>
    entered.push(phase),
  );
  expect(entered).toEqual(['warm-up']);
  nowUs = 2_000;
  catchUp();
  catchUp();
  expect(entered).toEqual(['warm-up', 'measure']);
  cancel();
});
