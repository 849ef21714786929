import { createServer, type Server } from 'node:http';
import type { Progress } from '@mqttlab/shared/messages/agent';
import { type LiveEvent, liveEventSchema } from '@mqttlab/shared/messages/live';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from '../run/testing/rig.ts';
import { type Browsers, makeBrowsers } from './browsers.ts';
import { type Bus, makeBus } from './live.ts';

class Viewer {
  readonly events: LiveEvent[] = [];
  readonly socket: WebSocket;
  closed: number | null = null;

  constructor(url: string, options: { after?: number; origin?: string } = {}) {
    const address = new URL('/api/v1/live', url.replace(/^http/, 'ws'));
    if (options.after !== undefined) address.searchParams.set('after', String(options.after));
    this.socket = new WebSocket(address, options.origin ? { origin: options.origin } : {});
    this.socket.on('message', (data) => {
      this.events.push(liveEventSchema.parse(JSON.parse(data.toString())));
    });
    this.socket.on('error', () => {});
    this.socket.on('close', (code) => {
      this.closed = code;
    });
  }

  status(): Promise<number> {
    return new Promise((resolve) => {
      this.socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
      this.socket.on('open', () => resolve(101));
    });
  }

  first(): Promise<LiveEvent> {
    return eventually('a first event', () => this.events[0]);
  }
}

describe('browsers on the live connection', () => {
  let rig: Rig;
  let life: Life;
  beforeEach(async () => {
    rig = new Rig();
    life = await rig.start();
    expect(await life.whenReady(240_000)).toBe(true);
  });
  afterEach(() => rig.remove());
  const runIs = (id: number, status: string) =>
    eventually(status, () => life.runs.listRuns(id).find((run) => run.status === status));

  it('two receive the same events; a reconnected one resumes after its last event', async () => {
    const [left, right] = [new Viewer(life.url), new Viewer(life.url)];
    await Promise.all([left.first(), right.first()]);
    const { id } = addExperiment(life, makeTinyDraft({ repetitions: 1 }));
    await life.scheduler.act(id, 'start');
    await runIs(id, 'done');
    const seen = left.events.at(-1)?.id ?? 0;
    left.socket.terminate();
    const back = new Viewer(life.url, { after: seen });
    const isEnd = (event: LiveEvent) => event.event === 'experiment' && event.data.status === 'done';
    await eventually('the end', () => back.events.some(isEnd) && right.events.some(isEnd));
    await eventually('the last event', () => back.events.at(-1)?.id === right.events.at(-1)?.id);
    const deltas = right.events.slice(1);
    expect([...left.events.slice(1), ...back.events]).toEqual(deltas);
    expect(deltas.map(({ id: eventId }) => eventId - deltas[0]!.id)).toEqual(deltas.map((_, index) => index));
    const runStatuses = deltas.flatMap((event) => (event.event === 'run' ? [event.data.status] : []));
    expect(runStatuses.slice(0, 4)).toEqual(['preparing', 'running', 'collecting', 'done']);
  });

  it('a late viewer receives the current run with its progress so far', async () => {
    rig.loadClock.hold();
    const { id } = addExperiment(life, makeTinyDraft());
    await life.scheduler.act(id, 'start');
    const run = await runIs(id, 'running');
    const progress: Progress = {
      role: 'publisher',
      atMs: 1000,
      messages: 200,
      messagesPerSecond: 200,
      late: 0,
      latencyMs: null,
      cpuPercent: 1,
      deviceCpuPercent: 5,
      residentBytes: 5e7,
      wireBytesPerSecond: 1e5,
    };
    const { publisher } = rig.agents;
    for (let i = 0; i < 700; i += 1) {
      publisher.send({ type: 'progress', runId: run.id, progress: { ...progress, atMs: i * 1000 } });
    }
    publisher.send({ type: 'phase', runId: run.id, role: 'publisher', phase: 'measure', durationUs: null });
    const early = new Viewer(life.url);
    await early.first();
    await eventually('the phase', () => life.live.listCurrentRuns()[0]?.phases.length === 1);
    const late = await new Viewer(life.url).first();
    expect(late.event).toBe('snapshot');
    if (late.event !== 'snapshot') return;
    expect(late.id).toBe(0);
    expect(late.data.active.map((experiment) => experiment.id)).toEqual([id]);
    expect(late.data.testbeds[0]).toMatchObject({ testbedId: 'local', busyWith: id });
    expect(late.data.log.length).toBeGreaterThan(2);
    const [current] = late.data.current;
    expect(current?.run.id).toBe(run.id);
    expect(current?.phases).toMatchObject([{ role: 'publisher', phase: 'measure', durationUs: null }]);
    expect(current?.progress).toHaveLength(600);
    expect(current?.progress.at(-1)?.atMs).toBe(699_000);
    await life.scheduler.act(id, 'cancel');
    expect(life.live.listCurrentRuns()).toEqual([]);
  });

  it('receives a snapshot instead if its last event is from an earlier server', async () => {
    const viewer = new Viewer(life.url);
    await viewer.first();
    addExperiment(life);
    rig.agents.broker.disconnect();
    const last = await eventually('an event', () => viewer.events[1]);
    await life.stop();
    life = await rig.start();
    const back = new Viewer(life.url, { after: last.id });
    expect((await back.first()).event).toBe('snapshot');
  });

  it('refuses pages of other sites, invalid ids and unknown addresses', async () => {
    expect(await new Viewer(life.url, { origin: 'http://evil.example' }).status()).toBe(403);
    expect(await new Viewer(life.url, { origin: life.url }).status()).toBe(101);
    const wrong = new WebSocket(`${life.url.replace(/^http/, 'ws')}/api/v1/live?after=x`);
    const status = await new Promise((resolve) => {
      wrong.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    });
    expect(status).toBe(400);
    const nowhere = new WebSocket(`${life.url.replace(/^http/, 'ws')}/api/v1/elsewhere`);
    expect(
      await new Promise((resolve) => {
        nowhere.on('unexpected-response', (_request, response) => resolve(response.statusCode));
      }),
    ).toBe(404);
  });

  it('closes a browser that sends too much, and continues', async () => {
    const viewer = new Viewer(life.url);
    await viewer.first();
    viewer.socket.send('x'.repeat(5000));
    await eventually('a close', () => viewer.closed !== null);
    expect((await new Viewer(life.url).first()).event).toBe('snapshot');
  });
});

describe('a slow browser', () => {
  let server: Server;
  let browsers: Browsers;
  let bus: Bus;
  const begin = async (pingEveryMs: number) => {
    const snapshot = () => ({ active: [], testbeds: [], current: [], storage: null, log: [] });
    bus = makeBus({ nowMs: Date.now, onError: () => {} });
    const options = { bus, snapshot, nowMs: Date.now, refuse: () => null, onError: () => {} };
    const limits = { maxBufferedBytes: 100_000, pingEveryMs };
    browsers = makeBrowsers({ ...options, mayStay: () => true, limits });
    server = createServer();
    server.on('upgrade', (request, socket, head) =>
      browsers.accept({ request, socket, head, url: new URL(request.url ?? '', 'http://x') }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  };
  afterEach(() => {
    browsers.stop();
    server.close();
  });
  const urlOf = () => `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const publish = (text: string) =>
    bus.publish({
      event: 'log',
      experimentId: null,
      runId: null,
      data: { at: 1, level: 'info', source: 'test', text },
    });

  it('is disconnected when too much data waits for it, and the others are not', async () => {
    await begin(60_000);
    const [slow, quick] = [new Viewer(urlOf()), new Viewer(urlOf())];
    await Promise.all([slow.first(), quick.first()]);
    publish('the last one that arrives');
    await eventually('an event', () => slow.events.length === 2 && quick.events.length === 2);
    slow.socket.pause();
    const text = 'x'.repeat(50_000);
    for (let i = 0; i < 400; i += 1) {
      publish(text);
      // Little waits for the quick one at any time, however busy the machine is.
      if (i % 20 === 19) await eventually('these events', () => quick.events.length === i + 3);
    }
    slow.socket.resume();
    await eventually('the drop', () => slow.closed !== null);
    expect(slow.events.length).toBeLessThan(402);
    const back = new Viewer(urlOf(), { after: slow.events.at(-1)?.id ?? 0 });
    await eventually('the rest', () => back.events.at(-1)?.id === quick.events.at(-1)?.id);
  });

  it('is disconnected when it does not answer pings', async () => {
    await begin(100);
    const viewer = new Viewer(urlOf());
    await viewer.first();
    viewer.socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 350));
    viewer.socket.resume();
    await eventually('the drop', () => viewer.closed !== null);
  });
});
