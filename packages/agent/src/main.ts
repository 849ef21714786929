import { fileURLToPath } from 'node:url';

/** Actions of this file, by mode, if it is started as a child process of the agent. */
const childModes: Readonly<Record<string, () => Promise<void>>> = {
  'load-worker': async () => (await import('./load-worker.ts')).runLoadWorker(),
  'coap-server': async () => (await import('./load/coap/coap-endpoint.ts')).runCoapServer(),
  'mqtt-js-client': async () => (await import('./clients/kinds/mqtt-js-client.ts')).runMqttJsClient(),
  'embedded-broker': async () => (await import('./brokers/embedded-main.ts')).runEmbeddedBroker(),
};

const [mode = '', ...rest] = process.argv.slice(2);
const runChild = childModes[mode];
if (runChild === undefined) {
  const { runAgent } = await import('./agent.ts');
  await runAgent(
    [mode, ...rest].filter((word) => word !== ''),
    { execPath: process.execPath, args: [fileURLToPath(import.meta.url)] },
  );
} else {
  await runChild();
}
