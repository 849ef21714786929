import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ShapingRule } from '@mqttlab/shared/domain/plans/impairment';
import { expect, test } from 'vitest';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { LinkShaper, ShapingNote } from './link-shaper.ts';
import type { NetworkTool } from './network-tool.ts';

const rule: ShapingRule = {
  flow: 'towards the broker',
  at: 'input',
  driver: 'nftables',
  lossPercent: 4,
  delayMs: 0,
  jitterMs: 0,
  rateMbit: null,
  overLink: true,
  overLoopback: false,
};
const limit: ShapingRule = { ...rule, at: 'egress', driver: 'tbf', lossPercent: 0, rateMbit: 1 };
const endpoint = { address: '10.83.0.11', port: 1883 };

/** A fake kernel with tables and queues, without netem; the tests of the virtual lab use the real one. */
class FakeKernel {
  readonly tables = new Set<string>();
  readonly roots = new Map<string, string>();
  readonly probes: string[] = [];
  /** Commands with this prefix fail. */
  fails: string | null = null;
  noteAtFirstChange: boolean | null = null;
  readonly #notePath: string;

  constructor(notePath: string) {
    this.#notePath = notePath;
  }

  readonly tool: NetworkTool = async (program, args) => {
    const line = [program, ...args].join(' ');
    const isProbe = line.includes('mqlp') || line.includes('_probe') || program === 'unshare';
    this.probes.push(...(isProbe ? [line] : []));
    if (this.fails !== null && line.startsWith(this.fails)) throw new Error(`${program}: it failed`);
    if (isProbe && line.includes(' netem ')) throw new Error('tc: Specified qdisc kind is unknown.');
    // Of an agent that was killed during its test, and of a running one.
    if (line === 'ip -o link') return `7: mqlp999999999@mqlp999999999p: <> 8: mqlp${process.pid}@x: <>`;
    if (isProbe) return '';
    if (/add/.test(line)) this.noteAtFirstChange ??= existsSync(this.#notePath);
    const added = /^nft add table inet (\w+)/.exec(line)?.[1];
    if (added !== undefined) this.tables.add(added);
    const removed = /^nft delete table inet (\w+)/.exec(line)?.[1];
    if (removed !== undefined && !this.tables.delete(removed))
      throw new Error('nft: No such file or directory');
    const [, device = '', handle = ''] = /^tc qdisc add dev (\w+) root handle (\w+:)/.exec(line) ?? [];
    if (device !== '' && this.roots.has(device)) throw new Error('tc: Exclusivity flag on, cannot modify.');
    if (device !== '') this.roots.set(device, handle);
    const [, cleared = '', own = ''] = /^tc qdisc del dev (\w+) root handle (\w+:)/.exec(line) ?? [];
    if (this.roots.get(cleared) === own) this.roots.delete(cleared);
    const shown = /^tc -s -j qdisc show dev (\w+)/.exec(line)?.[1];
    if (shown !== undefined) return this.#show(shown);
    return line === 'nft list tables' ? [...this.tables].map((name) => `table inet ${name}`).join('\n') : '';
  };

  #show(device: string): string {
    const handle = this.roots.get(device);
    return handle === undefined ? '[]' : JSON.stringify([{ kind: 'htb', handle, root: true }]);
  }
}

function makeShaper(folder = makeTemporaryFolder()) {
  const path = join(folder, 'shaping.json');
  const kernel = new FakeKernel(path);
  const failures: string[] = [];
  const makeAgain = () =>
    new LinkShaper({
      tool: kernel.tool,
      note: new ShapingNote(path),
      procRoot: '/proc',
      sysRoot: '/sys',
      onFailure: (text) => failures.push(text),
    });
  /** Another agent on the same host, with a separate folder. */
  const makeNeighbour = () => {
    const note = new ShapingNote(join(makeTemporaryFolder(), 'shaping.json'));
    return new LinkShaper({
      tool: kernel.tool,
      note,
      procRoot: '/proc',
      sysRoot: '/sys',
      onFailure: () => {},
    });
  };
  return { kernel, path, failures, makeAgain, makeNeighbour, shaper: makeAgain() };
}

const request = { order: { rules: [rule, limit] }, endpoint, interfaceName: 'eth7' };

test('announces the tested drivers that work, and why the others do not', async () => {
  const { shaper } = makeShaper();
  await shaper.open();
  expect(shaper.capability?.refusals).toMatchObject({
    nftables: null,
    tbf: null,
    netem: expect.stringMatching(/not in this kernel/),
  });
  expect(shaper.capability?.networkStack).toMatch(/^[0-9a-f-]{36} net:\[\d+\]$/);
});

test('tries queues in a new namespace if it may create one, otherwise on a new interface', async () => {
  const root = makeShaper();
  await root.shaper.open();
  expect(root.kernel.probes.filter((line) => line.startsWith('ip link'))).toEqual([]);
  const user = makeShaper();
  user.kernel.fails = 'unshare';
  await user.shaper.open();
  expect(user.kernel.probes.filter((line) => line.startsWith('ip link'))).toEqual([
    'ip link delete mqlp999999999',
    expect.stringMatching(/^ip link add mqlp\d+ type veth/),
    expect.stringMatching(/^ip link delete mqlp\d+$/),
  ]);
  expect(user.shaper.capability?.refusals).toEqual(root.shaper.capability?.refusals);
});

test('records its rules on disk before it applies them, and removes them', async () => {
  const { shaper, kernel, path } = makeShaper();
  await shaper.open();
  const applied = await shaper.apply(request);
  expect(kernel.noteAtFirstChange).toBe(true);
  expect([...kernel.tables]).toEqual([expect.stringMatching(`^mqttlab_${process.pid}_\\d+$`)]);
  expect([...kernel.roots]).toEqual([['eth7', expect.stringMatching(/^[1-7][0-9a-f]{2}0:$/)]]);
  await applied.remove();
  await applied.remove();
  expect([kernel.tables.size, kernel.roots.size, existsSync(path)]).toEqual([0, 0, false]);
});

test('rules of a crashed agent are removed by the next one, and no others', async () => {
  const { shaper, kernel, path, failures, makeAgain } = makeShaper();
  await shaper.open();
  await shaper.apply(request);
  kernel.tables.add('firewall');
  // Of an agent whose folder was removed; process 1 started with the system and not at this tick.
  kernel.tables.add('mqttlab_1_99999999999');
  kernel.roots.set('wlan0', '8001:');
  await makeAgain().open();
  expect([...kernel.tables]).toEqual(['firewall']);
  expect([...kernel.roots]).toEqual([['wlan0', '8001:']]);
  expect(existsSync(path)).toBe(false);
  expect(failures.join(' ')).toMatch(/nft table, its queues on eth7.*mqttlab_1_99999999999/);
});

test('rules of a crashed agent that its successor could not remove at its start are removed before the next run', async () => {
  const { shaper, kernel, failures, makeAgain } = makeShaper();
  await shaper.open();
  await shaper.apply(request);
  const successor = makeAgain();
  kernel.fails = 'tc qdisc del';
  await successor.open();
  expect(failures.join(' ')).toMatch(/could not be removed/);
  await expect(successor.apply(request)).rejects.toMatchObject({ report: { code: 'shaping-failed' } });
  kernel.fails = null;
  const applied = await successor.apply(request);
  await applied.remove();
  expect([kernel.tables.size, kernel.roots.size]).toEqual([0, 0]);
});

test('after a power cut only the record has to be removed', async () => {
  const { shaper, kernel, path } = makeShaper();
  await new ShapingNote(path).write({
    networkStack: 'an-earlier-boot net:[4026531833]',
    table: 'mqttlab_7_8',
    interfaces: ['eth7'],
    handle: 0x4d51,
  });
  // A foreign queue meanwhile, with the same number.
  kernel.roots.set('eth7', '4d51:');
  await shaper.open();
  expect([...kernel.roots]).toEqual([['eth7', '4d51:']]);
  expect(existsSync(path)).toBe(false);
});

test('rules are applied completely or not at all', async () => {
  const { shaper, kernel, path } = makeShaper();
  await shaper.open();
  kernel.fails = 'tc filter';
  await expect(shaper.apply(request)).rejects.toMatchObject({ report: { code: 'shaping-failed' } });
  expect([kernel.tables.size, kernel.roots.size, existsSync(path)]).toEqual([0, 0, false]);
});

test('a foreign queue is not changed', async () => {
  const { shaper, kernel } = makeShaper();
  await shaper.open();
  kernel.roots.set('eth7', '8001:');
  await expect(shaper.apply(request)).rejects.toMatchObject({ report: { code: 'link-already-shaped' } });
  expect([...kernel.roots]).toEqual([['eth7', '8001:']]);
});

test('two agents on one host do not change the rules of each other', async () => {
  const { shaper, kernel, makeNeighbour, makeAgain } = makeShaper();
  await shaper.open();
  const queueOnly = { ...request, order: { rules: [limit] } };
  const applied = await shaper.apply(queueOnly);
  const before = [...kernel.roots];
  const neighbour = makeNeighbour();
  await neighbour.open();
  await expect(neighbour.apply(queueOnly)).rejects.toMatchObject({
    report: { code: 'link-already-shaped', message: expect.stringContaining('eth7') },
  });
  expect([...kernel.roots]).toEqual(before);
  // On another link both work, each under a different handle.
  const other = await neighbour.apply({ ...queueOnly, interfaceName: 'eth8' });
  const [own, theirs] = [kernel.roots.get('eth7'), kernel.roots.get('eth8')];
  expect(new Set([own, theirs]).size).toBe(2);
  await applied.remove();
  expect([...kernel.roots]).toEqual([['eth8', theirs]]);
  await other.remove();
  // The other agent used the link after this one crashed and its rules were removed: its record is stale.
  await shaper.apply(queueOnly);
  kernel.roots.clear();
  await neighbour.apply(queueOnly);
  const kept = [...kernel.roots];
  await makeAgain().open();
  expect([...kernel.roots]).toEqual(kept);
});

test('rules of an earlier version under the shared handle are removed', async () => {
  const { shaper, kernel, path } = makeShaper();
  await shaper.open();
  await shaper.apply({ ...request, order: { rules: [limit] } });
  const { handle: _, ...old } = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify(old));
  kernel.roots.set('eth7', '4d51:');
  await shaper.open();
  expect([...kernel.roots]).toEqual([]);
});

test('a link without an interface here cannot be limited', async () => {
  const { shaper } = makeShaper();
  await shaper.open();
  const nowhere = { ...request, interfaceName: null };
  await expect(shaper.apply(nowhere)).rejects.toMatchObject({ report: { code: 'shaping-failed' } });
});
