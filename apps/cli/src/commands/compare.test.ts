import { afterAll, beforeAll, expect, it } from 'vitest';
import { callCli } from '../testing/call-cli.ts';
import { type ApiRig, playExperiment, startApiRig } from '../testing/server.ts';

let rig: ApiRig;
/** Two experiments on one kernel, and one on another. */
let ids: number[] = [];

beforeAll(async () => {
  rig = await startApiRig();
  ids = ['6.1', '6.1', '6.6'].map((kernel) => {
    const shape = () => ({ environment: { 'device.kernel': kernel } });
    return playExperiment(rig, {}, shape).id;
  });
});
afterAll(() => rig.stop());

const compare = (...argv: string[]) =>
  callCli(['compare', ...argv], { env: { MQTTLAB_URL: rig.origin }, columns: 200 });

it('says in which environments the compared runs differ', async () => {
  const { code, said, noted } = await compare(`E-${ids[0]}`, `E-${ids[2]}`);
  expect([code, noted]).toEqual([0, '']);
  expect(said).toContain('Kernel differs between the compared runs.');
  const { environment } = JSON.parse((await compare(`${ids[0]}`, `${ids[2]}`, '--json')).said);
  expect(environment).toBe('Kernel differs between the compared runs.');
});

it('says nothing about environments that are the same', async () => {
  const { said } = await compare(`E-${ids[0]}`, `E-${ids[1]}`);
  expect(said).toContain('Experiment');
  expect(said).not.toContain('differs between');
  expect(JSON.parse((await compare(`${ids[0]}`, `${ids[1]}`, '--json')).said).environment).toBeNull();
});
