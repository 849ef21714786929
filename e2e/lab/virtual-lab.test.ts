import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { labPaths } from './lab-paths.ts';
import { readMachineState } from './machine-state.ts';
import { tryProgram } from './run-program.ts';
import { VirtualLab } from './virtual-lab.ts';

const paths = labPaths('own');
const request = { devices: 2, plain: false, onStep: () => undefined };

afterEach(async () => {
  await VirtualLab.find(paths)?.remove();
});

/** Logs in like a user: OpenSSH with the key of the inventory. */
function ssh(lab: VirtualLab, index: number, command: string) {
  const device = lab.inventory().devices[index];
  if (device === undefined) throw new Error(`no device ${index}`);
  return tryProgram('ssh', [
    '-i',
    device.keyFile,
    '-o',
    'StrictHostKeyChecking=no',
    '-o',
    'UserKnownHostsFile=/dev/null',
    '-o',
    'BatchMode=yes',
    '-o',
    'LogLevel=ERROR',
    `${device.user}@${device.address}`,
    command,
  ]);
}

describe('a lab of virtual Pis', () => {
  it('has Debian devices with systemd, sshd, sudo and two interfaces, and does not change this machine', async () => {
    const before = await readMachineState();
    const lab = await VirtualLab.start(paths, request);
    const { code, output } = await ssh(
      lab,
      1,
      'hostname; sudo systemctl is-system-running --wait; cd /sys/class/net && echo *; ip -4 -br address',
    );
    expect(code).toBe(0);
    const [hostname, state, interfaces, ...addresses] = output.trim().split('\n');
    expect([hostname, state, interfaces]).toEqual(['pi-2', 'running', 'ethernet lo wifi']);
    expect(addresses.join(' ')).toContain(lab.device('pi-2').addresses.wifi);
    expect(await readMachineState()).not.toEqual(before);
    await lab.remove();
    expect(await readMachineState()).toEqual(before);
    expect(existsSync(paths.folder)).toBe(false);
  });

  it('has WiFi at 65 Mbit/s with packet loss, and Ethernet without loss', async () => {
    const lab = await VirtualLab.start(paths, request);
    const to = lab.device('pi-2').addresses;
    const ping = async (address: string) => {
      const { output } = await lab.run('pi-1', ['ping', '-q', '-f', '-c', '3000', address]);
      return Number(/([\d.]+)% packet loss/.exec(output)?.[1]);
    };
    expect(await ping(to.ethernet)).toBe(0);
    // Two passes of 0.5 % each: 3000 pings lose 30, give or take five standard deviations of 5.4.
    const lost = await ping(to.wifi);
    expect(lost).toBeGreaterThan(0.1);
    expect(lost).toBeLessThan(1.9);
    const { output } = await tryProgram('tc', ['-n', 'mqttlab-own-hub', 'qdisc', 'show']);
    expect(output).toMatch(/tbf \S+ dev wifi2 .*rate 65Mbit/);
    expect(output).toMatch(/tbf \S+ dev ethernet2 .*rate 1Gbit/);
  });

  it('keeps the disk of a device after a power cut, and can disconnect a cable', async () => {
    const lab = await VirtualLab.start(paths, request);
    expect((await ssh(lab, 0, 'echo kept > note; sync')).code).toBe(0);
    await lab.cutPower('pi-1');
    await lab.switchOn('pi-1');
    expect((await ssh(lab, 0, 'cat note')).output).toBe('kept\n');
    const ping = () =>
      lab.run('pi-1', ['ping', '-q', '-c', '1', '-W', '1', lab.device('pi-2').addresses.ethernet]);
    expect((await ping()).code).toBe(0);
    await lab.setCable('pi-1', 'ethernet', false);
    expect((await ping()).code).not.toBe(0);
    await lab.setCable('pi-1', 'ethernet', true);
    await expect.poll(async () => (await ping()).code, { timeout: 20_000 }).toBe(0);
  });

  it('works without systemd', async () => {
    const before = await readMachineState();
    const lab = await VirtualLab.start(paths, { ...request, plain: true });
    const { code, output } = await ssh(lab, 0, 'hostname; cat /proc/1/comm; cd /sys/class/net && echo *');
    expect([code, output]).toEqual([0, 'pi-1\nsshd\nethernet lo wifi\n']);
    await lab.remove();
    expect(await readMachineState()).toEqual(before);
  });

  it('is removed completely if it was killed during the start', async () => {
    const before = await readMachineState();
    const node = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'main.ts')];
    for (const afterMs of [400, 900, 1500]) {
      const starting = spawn(process.execPath, [...node, '--name', 'own'], { stdio: 'ignore' });
      const ended = new Promise((resolve) => starting.once('exit', resolve));
      await wait(afterMs);
      starting.kill('SIGKILL');
      await ended;
      await tryProgram(process.execPath, [...node, 'down', '--name', 'own']);
      expect(await readMachineState(), `killed after ${afterMs} ms`).toEqual(before);
    }
  });
});

it('starts at the same time as another lab', async () => {
  const before = await readMachineState();
  const all = ['twina', 'twinb'].map((name) => labPaths(name));
  try {
    const labs = await Promise.all(
      all.map((each) => VirtualLab.start(each, { devices: 1, plain: true, onStep: () => undefined })),
    );
    const addresses = labs.map((lab) => lab.device('pi-1').addresses.ethernet);
    expect(new Set(addresses).size).toBe(2);
    for (const lab of labs) expect((await ssh(lab, 0, 'hostname')).output).toBe('pi-1\n');
  } finally {
    for (const each of all) await VirtualLab.find(each)?.remove();
  }
  expect(await readMachineState()).toEqual(before);
});
