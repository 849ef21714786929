import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LiveEvent } from '@mqttlab/shared/messages/live';
import type { WebhookEvent } from '@mqttlab/shared/messages/webhooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { makeExperimentStore } from '../store/experiments/experiment-store.ts';
import { makeSecretBox } from '../store/secret-box.ts';
import { makeWebhookStore } from '../store/settings/webhook-store.ts';
import { makeTestDraft, makeTestPlan } from '../testing/experiment-factory.ts';
import { startReceiver } from './testing/receiver.ts';
import { makeWebhookService, type WebhookServiceOptions } from './webhook-service.ts';

/** The same after a restart. */
const secrets = makeSecretBox(randomBytes(32));

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'mqttlab-hooks-'));
  ends.push(() => rmSync(path, { recursive: true }));
  return path;
};
const receive: typeof startReceiver = async (answer) => {
  const receiver = await startReceiver(answer);
  ends.push(receiver.stop);
  return receiver;
};

/** One server process: its database outlives it in the same folder. */
function live(
  path: string,
  change: Partial<WebhookServiceOptions> = {},
  limits: WebhookServiceOptions['limits'] = {},
) {
  const database = openDatabase(join(path, 'lab.db'));
  const experiments = makeExperimentStore(database);
  const store = makeWebhookStore(database, { secrets });
  const listeners = new Set<(event: LiveEvent) => void>();
  const warnings: string[] = [];
  const failures: unknown[] = [];
  const service = makeWebhookService({
    stores: { webhooks: store, experiments },
    testbeds: { findTestbed: () => null },
    nowMs: Date.now,
    ownOrigin: () => 'http://lab:8080',
    live: {
      subscribe(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    onWarning: (text) => warnings.push(text),
    onError: (error) => failures.push(error),
    limits: { retryMs: [20, 20], timeoutMs: 60_000, ...limits },
    ...change,
  });
  service.start();
  const stop = async () => {
    await service.stop();
    database.close();
  };
  ends.push(stop);
  const tell = (id: number) => {
    const data = experiments.findExperimentSummary(id)!;
    const event = { id: 1, at: 1000, event: 'experiment', experimentId: id, runId: null, data } as const;
    for (const listener of listeners) listener(event);
  };
  /** An experiment that starts and completes: two events. */
  const play = (name = 'Cipher cost') => {
    const { id } = experiments.createExperiment(makeTestDraft({ name }));
    experiments.savePlan(id, makeTestPlan());
    experiments.updateExperiment(id, { status: 'queued' });
    tell(id);
    experiments.updateExperiment(id, { status: 'running', startedAt: 5 });
    tell(id);
    experiments.updateExperiment(id, { status: 'done', finishedAt: 6 });
    tell(id);
    return id;
  };
  return { service, store, database, play, warnings, failures, stop, listeners };
}

const bothEnds: WebhookEvent[] = ['experiment.started', 'experiment.done'];
const until = <T>(look: () => T) => vi.waitFor(look, { timeout: 240_000, interval: 10 });

describe('a message', () => {
  it('is signed, has names, counts and links, and reaches the subscribers of its event', async () => {
    const receiver = await receive();
    const { service, play } = live(folder());
    const add = (events: WebhookEvent[], origin: string | null) =>
      service.create({ url: receiver.url, events }, origin);
    const { secret, webhook } = await add(bothEnds, 'http://page.example');
    await add(['experiment.done'], null);
    await add(['run.failed'], null);
    const id = play();
    await until(() => expect(receiver.all).toHaveLength(3));
    const [started, done] = receiver.all.filter((received) => received.isGenuine(secret!));
    expect(started?.message).toMatchObject({
      schemaVersion: 1,
      event: 'experiment.started',
      time: '1970-01-01T00:00:01.000Z',
      experiment: {
        id,
        name: 'Cipher cost',
        status: 'running',
        link: `http://page.example/experiments/${id}`,
      },
      run: null,
      device: null,
    });
    expect(done?.message.event).toBe('experiment.done');
    expect(started?.id).toMatch(/^msg_/);
    expect(started?.id).not.toBe(done?.id);
    expect(started?.isGenuine(`whsec_${Buffer.alloc(32).toString('base64')}`)).toBe(false);
    const other = receiver.all.find((received) => !received.isGenuine(secret!));
    expect(other?.message.experiment?.link).toBe(`http://lab:8080/experiments/${id}`);
    await until(() =>
      expect(service.list()[0]).toMatchObject({
        id: webhook.id,
        pending: 0,
        lastDelivery: { event: 'experiment.done', ok: true, status: 204, attempt: 1, nextAt: null },
      }),
    );
    expect(JSON.stringify(service.list())).not.toContain(secret);
  });

  it('is retried after an error of the receiver, with the same id, and not after it was accepted', async () => {
    const receiver = await receive((_received, count, response) =>
      response.writeHead(count === 1 ? 500 : 200).end('noted'),
    );
    const { service, play } = live(folder());
    const { secret } = await service.create({ url: receiver.url, events: ['experiment.done'] }, null);
    play();
    await until(() => expect(service.list()[0]?.lastDelivery).toMatchObject({ ok: true, attempt: 2 }));
    expect(receiver.all.map(({ id }) => id)).toEqual([receiver.all[0]?.id, receiver.all[0]?.id]);
    expect(receiver.all.every((received) => received.isGenuine(secret!))).toBe(true);
    expect(service.list()[0]?.pending).toBe(0);
  });

  it('is abandoned after the last attempt, and its reason remains visible', async () => {
    const receiver = await receive((_received, _count, response) => response.writeHead(503).end());
    const { service, play, warnings } = live(folder());
    await service.create({ url: receiver.url, events: ['experiment.done'] }, null);
    play();
    await until(() => expect(warnings).toHaveLength(1));
    expect(receiver.all).toHaveLength(3);
    expect(service.list()[0]).toMatchObject({
      pending: 0,
      lastDelivery: { ok: false, attempt: 3, status: 503, reason: 'it responded with 503', nextAt: null },
    });
    expect(warnings[0]).toContain('not delivered: it responded with 503');
  });

  it('survives a restart of the server in the middle of an attempt', async () => {
    const path = folder();
    const silent = await receive(() => undefined);
    const first = live(path);
    const { secret } = await first.service.create({ url: silent.url, events: bothEnds }, null);
    first.play();
    await until(() => expect(silent.all).toHaveLength(1));
    await first.stop();
    const receiver = await receive();
    const second = live(path);
    await second.service.change(1, { url: receiver.url });
    await until(() => expect(second.service.list()[0]?.pending).toBe(0));
    // The pending message may have been sent once more to the old address.
    const taken = [...silent.all.slice(1), ...receiver.all];
    expect(new Set(taken.map(({ message }) => message.event))).toEqual(new Set(bothEnds));
    expect(taken.every((received) => received.isGenuine(secret!))).toBe(true);
    expect(taken.find(({ message }) => message.event === 'experiment.started')?.id).toBe(silent.all[0]?.id);
  });

  it('is dropped for newer ones if too many wait', async () => {
    const silent = await receive(() => undefined);
    const { service, play, warnings } = live(folder(), {}, { maxPending: 3 });
    await service.create({ url: silent.url, events: bothEnds }, null);
    for (let round = 0; round < 4; round += 1) play();
    expect(service.list()[0]?.pending).toBe(3);
    expect(warnings.every((text) => text.includes('was dropped'))).toBe(true);
    expect(warnings).toHaveLength(5);
  });
});

describe('an attempt', () => {
  it('does not follow redirects, wait forever or retry after 410 Gone', async () => {
    const receiver = await receive(({ path }, _count, response) => {
      if (path === '/moved') response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
      if (path === '/gone') response.writeHead(410).end();
    });
    const { service, play } = live(folder(), {}, { timeoutMs: 300 });
    const at = (path: string) => new URL(path, receiver.url).href;
    for (const path of ['/moved', '/silent']) {
      await service.create({ url: at(path), events: ['run.failed'] }, null);
    }
    expect(await service.test(1)).toMatchObject({ ok: false, status: 302, event: 'test', nextAt: null });
    expect((await service.test(1)).remedy).toContain('169.254.169.254');
    expect(await service.test(2)).toMatchObject({ status: null, reason: 'it did not respond within 0.3 s' });
    await service.create({ url: at('/gone'), events: ['experiment.done'] }, null);
    play();
    await until(() => expect(service.list()[2]).toMatchObject({ enabled: false, pending: 0 }));
    expect(receiver.all.filter(({ path }) => path === '/gone')).toHaveLength(1);
  });

  it('is not made if the name resolves to a metadata address when sending', async () => {
    const receiver = await receive();
    let leadsTo = '127.0.0.1';
    const resolve = async () => [{ address: leadsTo, family: 4 }];
    const { service } = live(folder(), {}, { resolve });
    const url = `http://hooks.example:${receiver.port}/`;
    await service.create({ url, events: ['run.failed'] }, null);
    expect(await service.test(1)).toMatchObject({ ok: true });
    leadsTo = '169.254.169.254';
    const refused = await service.test(1);
    expect(refused.reason).toMatch(/^hooks.example \(169.254.169.254\) is a link-local or metadata address/);
    expect(receiver.all).toHaveLength(1);
  });

  it('reports why the receiver was not reached', async () => {
    const receiver = await startReceiver();
    await receiver.stop();
    const { service } = live(folder());
    await service.create({ url: receiver.url, events: ['run.failed'] }, null);
    await service.create({ url: receiver.url.replace('http', 'https'), events: ['run.failed'] }, null);
    expect(await service.test(1)).toMatchObject({ status: null, reason: 'nothing listens there' });
    expect(await service.test(2)).toMatchObject({ reason: 'nothing listens there' });
  });
});

describe('the list', () => {
  it('disabled or removed webhooks receive nothing until they are restored', async () => {
    const receiver = await receive();
    const { service, play, store } = live(folder());
    await service.create({ url: `${receiver.url}/1`, events: ['experiment.done'] }, null);
    await service.create({ url: `${receiver.url}/2`, events: ['experiment.done'] }, null);
    await service.change(1, { enabled: false });
    service.remove(2);
    expect(() => service.remove(2)).toThrow('There is no webhook 2');
    play();
    await service.change(1, { enabled: true });
    expect(service.restore(2)).toMatchObject({ id: 2, enabled: true });
    play('again');
    await until(() => expect(receiver.all).toHaveLength(2));
    expect(receiver.all.map(({ message }) => message.experiment?.name)).toEqual(['again', 'again']);
    service.remove(2);
    store.purgeWebhooks(Date.now() + 1000);
    expect(() => service.restore(2)).toThrow('There is no removed webhook 2');
  });

  it('stops listening and sending with the server', async () => {
    const receiver = await receive();
    const { service, listeners, stop, play, failures } = live(folder());
    await service.create({ url: receiver.url, events: ['experiment.done'] }, null);
    play();
    await stop();
    expect([listeners.size, failures]).toEqual([0, []]);
  });
});

describe('a secret that can no longer be read', () => {
  it('ends its messages after the usual attempts, with a reason on the page and in the log', async () => {
    const path = folder();
    const receiver = await receive(() => {});
    const before = live(path);
    await before.service.create({ url: receiver.url, events: bothEnds }, null);
    before.play();
    await until(() => expect(receiver.all.length).toBeGreaterThan(0));
    await before.stop();

    const reads: number[] = [];
    const database = openDatabase(join(path, 'lab.db'));
    const withoutKey = makeWebhookStore(database, { secrets: makeSecretBox(randomBytes(32)) });
    const after = live(path, {
      stores: {
        experiments: makeExperimentStore(database),
        webhooks: {
          ...withoutKey,
          listNextDeliveries() {
            reads.push(performance.now());
            return withoutKey.listNextDeliveries();
          },
        },
      },
    });
    ends.push(() => database.close());
    await until(() => expect(withoutKey.listWebhooks()[0]).toMatchObject({ pending: 0 }));
    expect(withoutKey.listWebhooks()[0]?.lastDelivery).toMatchObject({
      ok: false,
      reason: expect.stringContaining('secret'),
      remedy: expect.stringContaining('new'),
    });
    expect(after.warnings).toContainEqual(expect.stringMatching(/was not delivered.*secret/));
    // Two messages with three attempts each, and a check after each.
    expect(reads.length).toBeLessThan(20);
    expect(after.failures).toEqual([]);
  });

  it('or a stored message does not block other messages', async () => {
    const path = folder();
    const receiver = await receive();
    const first = live(path);
    await first.service.create({ url: receiver.url, events: bothEnds }, null);
    first.database.run(
      `INSERT INTO webhook_deliveries (webhook_id, message_id, body, attempts, due_at) VALUES (1, 'msg_x', 'no message', 0, 0)`,
    );
    first.play();
    await until(() => expect(receiver.all).toHaveLength(2));
    await until(() => expect(first.store.listWebhooks()[0]).toMatchObject({ pending: 0 }));
    expect(first.warnings).toContainEqual(expect.stringContaining('cannot be read'));
  });
});
