import type { Cli } from '../cli.ts';
import { serveHere } from '../own-server.ts';

export function addStart(cli: Cli): void {
  cli
    .command('start', {
      does: 'Start the server and the agents of the built-in testbed; PORT, HOST, MQTTLAB_DATA and other variables configure it.',
      examples: ['start'],
    })
    .action(cli.runs(serveHere));
}
