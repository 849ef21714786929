/**
 * The pacer thread, as text so that it starts from a bundle of one file too (`new Worker(source, { eval: true })`).
 * Sleeps until the next instant of a schedule and posts one message, unless the last one was not yet looked at.
 */
export const pacerThreadSource = `
const { workerData, parentPort } = require('node:worker_threads');
const { startUs, periodUs, stopAtUs, instantsUs, cells } = workerData;
const shared = new Int32Array(cells);
const [seconds, nanoseconds] = process.hrtime();
const originUs = seconds * 1e6 + nanoseconds / 1e3 - performance.now() * 1000;
const nowUs = () => performance.now() * 1000 + originUs;
let k = 0;
for (;;) {
  const dueUs = startUs + k * periodUs;
  const nextUs = Math.min(dueUs < stopAtUs ? dueUs : Infinity, instantsUs[0] ?? Infinity);
  if (nextUs === Infinity || Atomics.load(shared, 0) === 1) break;
  for (let left = nextUs - nowUs(); left > 0; left = nextUs - nowUs()) {
    if (Atomics.wait(shared, 0, 0, left / 1000) === 'not-equal') break;
  }
  const now = nowUs();
  while (instantsUs.length > 0 && instantsUs[0] <= now) instantsUs.shift();
  if (dueUs <= now) k = Math.max(k + 1, Math.floor((now - startUs) / periodUs) + 1);
  if (Atomics.exchange(shared, 1, 1) === 0) parentPort.postMessage(0);
}
`;
