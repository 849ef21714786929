import { externalBrokerSchema } from '@mqttlab/shared/domain/devices/external-broker';
import { externalDeviceSchema } from '@mqttlab/shared/domain/devices/external-device';
import { experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import { planSchema, treatmentSchema } from '@mqttlab/shared/domain/plans/plan';
import { comparisonSchema } from '@mqttlab/shared/domain/runs/comparison';
import { experimentDetailSchema, experimentSummarySchema } from '@mqttlab/shared/domain/runs/experiment';
import { roleResultSchema } from '@mqttlab/shared/domain/runs/role-result';
import { runDetailSchema, runSummarySchema } from '@mqttlab/shared/domain/runs/run';
import { apiPrefix, liveSocketPath } from '@mqttlab/shared/messages/address';
import { problemSchema, testbedStatusSchema } from '@mqttlab/shared/messages/http';
import { liveEventSchema } from '@mqttlab/shared/messages/live';
import { operationIds } from '@mqttlab/shared/messages/operation-ids';
import { shareSchema } from '@mqttlab/shared/messages/shares';
import { webhookMessageSchema } from '@mqttlab/shared/messages/webhooks';
import * as z from 'zod';
import {
  createDocument,
  type ZodOpenApiContentObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { Route } from './route.ts';

const problem = { content: { 'application/problem+json': { schema: problemSchema } } };

/** Named documents; all other schemas are written out inline. */
const schemas = {
  Problem: problemSchema,
  ExperimentDraft: experimentDraftSchema,
  ExperimentSummary: experimentSummarySchema,
  ExperimentDetail: experimentDetailSchema,
  Plan: planSchema,
  Treatment: treatmentSchema,
  RunSummary: runSummarySchema,
  RunDetail: runDetailSchema,
  RoleResult: roleResultSchema,
  Comparison: comparisonSchema,
  Share: shareSchema,
  TestbedStatus: testbedStatusSchema,
  ExternalBroker: externalBrokerSchema,
  ExternalDevice: externalDeviceSchema,
  WebhookMessage: webhookMessageSchema,
};

/** A message that the server sends. */
const messageOperation: ZodOpenApiOperationObject = {
  operationId: 'sendWebhookMessage',
  summary: 'The event. A status from 200 to 299 acknowledges it; otherwise it is sent again',
  description:
    'Signed as specified by Standard Webhooks 1.0.0: webhook-signature is "v1," and the HMAC-SHA-256, in base64, of ' +
    '"{webhook-id}.{webhook-timestamp}.{body}" with the bytes after "whsec_" as the key. A message may be ' +
    'delivered twice, with the same webhook-id. Retried after 5 s, 1 min, 10 min and 1 h; 410 disables the webhook.',
  tags: ['webhooks'],
  security: [],
  requestBody: { required: true, content: { 'application/json': { schema: webhookMessageSchema } } },
  responses: { '2XX': { description: 'Taken.' } },
};

export type OpenApiDocument = ReturnType<typeof createDocument>;

/** Returns the OpenAPI 3.1 document of the route table. */
export function makeOpenApi(routes: readonly Route[], version: string): OpenApiDocument {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = apiPrefix + route.path;
    paths[path] = { ...paths[path], [route.method]: operationOf(route) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: { title: 'mqttlab', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { session: [] }],
    paths,
    webhooks: { message: { post: messageOperation } },
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: 'mqttlab_session' },
      },
    },
  });
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const [, tag = 'api'] = route.path.split('/');
  const parameters = {
    ...(route.params ? { path: route.params as z.ZodObject } : {}),
    ...(route.query ? { query: route.query as z.ZodObject } : {}),
    ...(route.headers ? { header: route.headers as z.ZodObject } : {}),
  };
  return {
    operationId: operationIds[route.key],
    summary: route.summary,
    description: route.access === 'open' ? 'No login required.' : `Needs the role ${route.access}.`,
    tags: [tag],
    ...(route.access === 'open' ? { security: [] } : {}),
    ...(Object.keys(parameters).length > 0 ? { requestParams: parameters } : {}),
    ...(route.body ? { requestBody: { required: true, content: contentOf(route.body, route) } } : {}),
    responses: { ...successOf(route), default: { description: 'The error and its remedy.', ...problem } },
  };
}

/** The document itself, instead of a body with its text. */
const documentSchema = z
  .record(z.string(), z.unknown())
  .meta({ description: 'The file itself; /api/v1/plan.schema.json is the JSON Schema of a plan.' });

function contentOf(body: z.ZodType, { bodyType, takesDocument }: Route): ZodOpenApiContentObject {
  if (!takesDocument) return { [bodyType ?? 'application/json']: { schema: body } };
  return {
    'application/json': { schema: z.union([body, documentSchema]) },
    'application/yaml': { schema: { type: 'string', description: 'The file itself.' } },
  };
}

function successOf({ response, file, status }: Route): ZodOpenApiOperationObject['responses'] {
  if (file !== undefined) {
    return { '200': { description: 'A file.', content: { [file]: { schema: { type: 'string' } } } } };
  }
  if (response === undefined) return { '204': { description: 'Done.' } };
  return {
    [`${status ?? 200}`]: {
      description: status === 201 ? 'Made.' : 'Success.',
      content: { 'application/json': { schema: response } },
    },
  };
}

const words: Readonly<Record<string, string>> = {
  snapshot: 'All running experiments; sent first, and again if too many events were missed',
  experiment: 'An experiment changed',
  run: 'A run changed',
  phase: 'A phase of a run began or ended on a device',
  progress: 'The current counters of a device',
  log: 'A line of a log',
  testbed: 'A testbed changed',
  storage: 'Why the database cannot be written to; null once it can be written to again',
};

/**
 * Returns the AsyncAPI 3.0 document for the WebSocket, generated from the schema that validates its events.
 */
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
      description: `Connect with WebSocket to ${liveSocketPath}: the first event is a snapshot, followed by changes. "?after=ID" resumes after the last received event. Messages from clients are ignored. If a login is required, send the session cookie or "Authorization: Bearer TOKEN".`,
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
