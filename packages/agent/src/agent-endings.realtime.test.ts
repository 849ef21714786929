import { setTimeout as wait } from 'node:timers/promises';
import { brokerReadySchema } from '@mqttlab/shared/messages/agent';
import { expect, test } from 'vitest';
import { isRunning } from './testing/agent-process.ts';
import { prepareBroker, startLabDevice } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';

test('a run continues when the server returns in time', async () => {
  const serverLossMs = 400;
  const { server } = await startLabDevice({ serverLossMs });
  const prepare = prepareBroker({ runId: 5, spec: makeTestSpec(), tls: null });
  const { pid } = brokerReadySchema.parse(await server.mustDo(5, prepare));
  server.drop();
  await expect.poll(() => server.all('hello').length).toBe(2);
  await wait(1.5 * serverLossMs);
  expect(isRunning(pid!)).toBe(true);
});
