import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseSegments, readSegments } from './states-load.ts';

/** Output of iproute2 6.1. */
const stamped =
  'ESTAB 0      0      127.0.0.1:39478 127.0.0.1:32865 ts sack bbr wscale:10,10 rto:204 rtt:0.027/0.014 mss:32768 bytes_sent:2 bytes_acked:3 segs_out:3 segs_in:2 data_segs_out:1 lastsnd:320';
const again =
  'ESTAB 0 0 [2001:db8::1]:40000 [2001:db8::2]:1883 timer:(keepalive,1min,0) ts sack cubic wscale:7,7 rto:204 segs_out:12 segs_in:9 retrans:0/2 data_segs_out:5';
const old =
  'CLOSE-WAIT 0 0 [::ffff:192.0.2.1]:5000 [::ffff:192.0.2.2]:1883 cubic rto:204 segs_out:4 segs_in:4';

describe('the output of ss for a connection', () => {
  it('is found by its local port', () => {
    const found = parseSegments(`${stamped}\n${again}\n${old}\n`);
    expect([...found.keys()]).toEqual([39_478, 40_000, 5_000]);
    expect(found.get(39_478)).toEqual({
      sent: 3,
      received: 2,
      retransmitted: 0,
      headerBytes: { each: 66, syn: 74 },
    });
    expect(found.get(40_000)).toEqual({
      sent: 12,
      received: 9,
      retransmitted: 2,
      headerBytes: { each: 86, syn: 94 },
    });
    // No time stamps, SACK or window scale: only the maximum segment size in SYN.
    expect(found.get(5_000)?.headerBytes).toEqual({ each: 54, syn: 58 });
  });

  it('is null if the kernel reports no segments', () => {
    expect(parseSegments('ESTAB 0 0 127.0.0.1:1 127.0.0.1:2 ts sack\n\nnonsense').size).toBe(0);
  });

  it('counts a real connection: SYN, its answer and the acknowledgement at first', async () => {
    const server = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const bound = server.address();
    const port = bound !== null && typeof bound === 'object' ? bound.port : 0;
    const socket = await new Promise<Socket>((resolve) => {
      const opened = connect(port, '127.0.0.1', () => resolve(opened));
    });
    onTestFinished(() => {
      socket.destroy();
      server.close();
    });
    const found = (await readSegments(port))?.get(socket.localPort ?? 0);
    expect(found).toMatchObject({ sent: 2, received: 1, retransmitted: 0 });
  });
});
