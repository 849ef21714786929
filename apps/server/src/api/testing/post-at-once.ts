import { connect } from 'node:net';

interface Post {
  /** Path after /api/v1. */
  path: string;
  body: object;
  headers?: Record<string, string>;
}

/** Posts all requests in parallel over at most 50 connections, each in one write, and returns the statuses. */
export async function postAtOnce(port: number, posts: readonly Post[]): Promise<number[]> {
  const batches = Array.from({ length: Math.min(50, posts.length) }, (_, i) =>
    posts.filter((_post, j) => j % 50 === i),
  );
  return (await Promise.all(batches.map((batch) => postTogether(port, batch)))).flat();
}

function postTogether(port: number, batch: readonly Post[]): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        batch
          .map(({ path, body, headers = {} }, i) => {
            const text = JSON.stringify(body);
            const lines = Object.entries({
              Host: `127.0.0.1:${port}`,
              'Content-Type': 'application/json',
              'Content-Length': Buffer.byteLength(text),
              Connection: i === batch.length - 1 ? 'close' : 'keep-alive',
              ...headers,
            }).map(([name, value]) => `${name}: ${value}\r\n`);
            return `POST /api/v1${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
          })
          .join(''),
      );
    });
    let answers = '';
    socket.on('data', (data) => {
      answers += data;
    });
    socket.once('end', () =>
      resolve([...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))),
    );
    socket.once('error', reject);
  });
}
