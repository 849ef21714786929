import { liveSocketPath } from '@mqttlab/shared/messages/address';
import { liveEventSchema } from '@mqttlab/shared/messages/live';
import * as z from 'zod';

const words: Readonly<Record<string, string>> = {
  snapshot: 'Everything that runs, first of all, and again where too much was missed',
  experiment: 'An experiment changed',
  run: 'A run changed',
  phase: 'A phase of a run began or ended on a device',
  progress: 'What a device has counted so far',
  log: 'A line of a log',
  testbed: 'A testbed changed',
  storage: 'Nothing can be kept any more, or everything again (null)',
};

/** The AsyncAPI 3.0 document of the WebSocket, made of the schema that its events are checked by. */
export function makeAsyncApi(version: string): Record<string, unknown> {
  const messages = Object.fromEntries(
    liveEventSchema.options.map((event) => {
      const name = event.shape.event.value;
      const { $schema: _schema, ...payload } = z.toJSONSchema(event, { target: 'draft-7', io: 'input' });
      return [name, { name, title: words[name] ?? name, contentType: 'application/json', payload }];
    }),
  );
  const refer = (path: string) => ({ $ref: `#/${path}` });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'mqttlab live events',
      version,
      description: `Connect with WebSocket to ${liveSocketPath}: a snapshot comes first, then what changes. "?after=ID" resumes behind the last event seen. Nothing is taken. With a login: the session cookie, or "Authorization: Bearer TOKEN".`,
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels: {
      live: {
        address: liveSocketPath,
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, refer(`components/messages/${name}`)]),
        ),
        bindings: {
          ws: {
            method: 'GET',
            query: { type: 'object', properties: { after: { type: 'integer', minimum: 0 } } },
          },
        },
      },
    },
    operations: {
      tell: {
        action: 'send',
        channel: refer('channels/live'),
        messages: Object.keys(messages).map((name) => refer(`channels/live/messages/${name}`)),
      },
    },
    components: { messages },
  };
}
