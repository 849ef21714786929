/**
 * The pacer thread, as text so that it starts from a bundle of one file too (`new Worker(source, { eval: true })`).
 * Sleeps until `leadUs` before the next instant of a schedule and posts one message, unless the last one was not
 * yet looked at. Cell 0 tells it to stop, cell 1 is set while a message waits.
 */
export const pacerThreadSource = `
const { workerData, parentPort } = require('node:worker_threads');
const { startUs, periodUs, bursts, stopAtUs, instantsUs, leadUs, cells } = workerData;
const shared = new Int32Array(cells);
let originUs = 0;
let tightestMs = Infinity;
// As MonotonicClock: the first calls are slow, the tightest bracket counts.
for (let attempt = 0; attempt < 32; attempt += 1) {
  const beforeMs = performance.now();
  const [seconds, nanoseconds] = process.hrtime();
  const afterMs = performance.now();
  if (afterMs - beforeMs >= tightestMs) continue;
  tightestMs = afterMs - beforeMs;
  originUs = seconds * 1e6 + nanoseconds / 1e3 - (beforeMs + afterMs) * 500;
}
const nowUs = () => performance.now() * 1000 + originUs;
// As dueUsOf of a single publisher.
const dueUsAt = (k) => {
  if (bursts === undefined) return startUs + k * periodUs;
  const burst = Math.floor(k / bursts.messages);
  return startUs + burst * bursts.cycleUs + (k - burst * bursts.messages) * periodUs;
};
let k = 0;
for (;;) {
  const dueUs = dueUsAt(k);
  const nextUs = Math.min(dueUs < stopAtUs ? dueUs : Infinity, instantsUs[0] ?? Infinity);
  if (nextUs === Infinity) break;
  const wakeUs = nextUs - leadUs;
  for (let left = wakeUs - nowUs(); left > 0; left = wakeUs - nowUs()) {
    if (Atomics.wait(shared, 0, 0, left / 1000) === 'not-equal') break;
  }
  if (Atomics.load(shared, 0) === 1) break;
  const reachedUs = Math.max(nowUs(), wakeUs) + leadUs;
  while (instantsUs.length > 0 && instantsUs[0] <= reachedUs) instantsUs.shift();
  if (dueUs <= reachedUs && bursts === undefined) k = Math.max(k + 1, Math.floor((reachedUs - startUs) / periodUs) + 1);
  else while (dueUsAt(k) <= reachedUs) k += 1;
  if (Atomics.exchange(shared, 1, 1) === 0) parentPort.postMessage(0);
}
`;
