import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { AgentConnection } from './agent-connection.ts';

/** Like a WebSocket through an SSH session whose cable is unplugged: terminated, but its close is never confirmed. */
class DeadSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  ping(): void {}
  send(): void {}
  terminate(): void {
    this.readyState = 2;
  }
}

it('counts as closed when pings are not answered, even if its close is never confirmed', async () => {
  const socket = new DeadSocket();
  const events = {
    onHello: vi.fn(),
    onFrame: vi.fn(),
    onBadResult: vi.fn(),
    onSetAside: vi.fn(),
    onClose: vi.fn(),
    onFailure: vi.fn(),
    onError: vi.fn(),
  };
  const connection = new AgentConnection({
    socket: socket as unknown as WebSocket,
    identity: { deviceId: 'pi-1', name: 'pi-1', role: 'publisher' },
    events,
    pingEveryMs: 10,
  });
  connection.start();
  const asked = connection.exchangeClock();
  asked.catch(() => {});
  await expect.poll(() => events.onClose.mock.calls.length).toBe(1);
  await expect(asked).rejects.toMatchObject({ code: 'agent-lost' });
  socket.emit('close');
  expect(events.onClose).toHaveBeenCalledTimes(1);
});

it('reports an answer that does not arrive in time as an unresponsive device', async () => {
  const connection = new AgentConnection({
    socket: new DeadSocket() as unknown as WebSocket,
    identity: { deviceId: 'pi-1', name: 'pi-1', role: 'publisher' },
    events: {
      onHello: vi.fn(),
      onFrame: vi.fn(),
      onBadResult: vi.fn(),
      onSetAside: vi.fn(),
      onClose: vi.fn(),
      onFailure: vi.fn(),
      onError: vi.fn(),
    },
    pingEveryMs: 60_000,
  });
  const answer = connection.command({ runId: 1, command: { kind: 'connect' }, timeoutMs: 10 });
  await expect(answer).rejects.toMatchObject({ code: 'agent-silent' });
});
