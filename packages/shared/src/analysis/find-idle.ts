import type { Window } from './integrate-energy.ts';

/** Idle power is only believed when nothing ran for so long. */
const minIdleUs = 500_000;
/** Nearer to the run is more like it: of a long rest the part beside the run counts. */
const maxIdleUs = 30_000_000;
/** What a device does after its last word in a run, and how far two clocks may differ. */
const guardUs = 250_000;

/** Times in which a machine had a run to do, set-up and warm-up included; the run that is looked at is one of them. */
export interface BusyTimes {
  own: Window;
  others: readonly Window[];
}

/**
 * Stretches of what was measured in which no run had begun and none was left to end; those before the run first, the
 * nearest first, then those behind it. At most 30 s of each, the part beside the run. Pure.
 */
export function findIdle(measured: Window, { own, others }: BusyTimes): Window[] {
  const busy = [own, ...others]
    .map(({ fromUs, toUs }) => ({ fromUs: fromUs - guardUs, toUs: toUs + guardUs }))
    .sort((a, b) => a.fromUs - b.fromUs);
  const free: Window[] = [];
  let freeFromUs = measured.fromUs;
  for (const { fromUs, toUs } of busy) {
    free.push({ fromUs: freeFromUs, toUs: Math.min(fromUs, measured.toUs) });
    freeFromUs = Math.max(freeFromUs, toUs);
  }
  free.push({ fromUs: freeFromUs, toUs: measured.toUs });
  const long = free.filter(({ fromUs, toUs }) => toUs - fromUs >= minIdleUs);
  const before = long
    .filter(({ toUs }) => toUs <= own.fromUs)
    .map(({ fromUs, toUs }) => ({ fromUs: Math.max(fromUs, toUs - maxIdleUs), toUs }));
  const behind = long
    .filter(({ fromUs }) => fromUs >= own.toUs)
    .map(({ fromUs, toUs }) => ({ fromUs, toUs: Math.min(toUs, fromUs + maxIdleUs) }));
  return [...before.reverse(), ...behind];
}
