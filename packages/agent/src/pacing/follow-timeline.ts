import type { MicrosecondClock } from './monotonic.ts';
import { type Instants, type LoadPhase, Timeline } from './timeline.ts';

/** Enters each phase when its instant has come, within a ms; returns what ends it early. */
export function followTimeline(
  clock: MicrosecondClock,
  instants: Instants,
  onEnter: (phase: LoadPhase) => void,
): () => void {
  const timeline = new Timeline(instants, onEnter);
  let timer: NodeJS.Timeout | null = null;
  let ended = false;
  const turn = (): void => {
    const nowUs = clock.nowUs();
    const nextUs = timeline.advance(nowUs);
    if (ended || nextUs === Number.POSITIVE_INFINITY) return;
    timer = setTimeout(turn, Math.ceil((nextUs - nowUs) / 1000));
  };
  turn();
  return () => {
    ended = true;
    if (timer !== null) clearTimeout(timer);
  };
}
