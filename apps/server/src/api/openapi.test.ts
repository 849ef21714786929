import { type LiveEvent, liveEventSchema } from '@mqttlab/shared/messages/live';
import { Ajv, type AnySchema } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeRoutes } from './http-app.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await startApiRig();
});
afterAll(() => rig.stop());

interface Operation {
  operationId: string;
  summary: string;
  parameters?: { name: string; in: string; schema: unknown }[];
  requestBody?: { content: Record<string, { schema: unknown }> };
  responses: Record<string, { content?: Record<string, { schema: unknown }> }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  );
}

function resolve(document: unknown, pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);
}

describe('the OpenAPI document', () => {
  it('lists every route of the table with its parameters, body and answers', async () => {
    const { body, status } = await rig.api('/openapi.json');
    expect(status).toBe(200);
    const document = body as Document;
    expect(document.openapi).toBe('3.1.0');
    const routes = makeRoutes(rig.services, rig.server.webhooks);
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(listed.sort()).toEqual(routes.map(({ method, path }) => `${method} /api/v1${path}`).sort());
    for (const route of routes) {
      const operation = document.paths[`/api/v1${route.path}`]?.[route.method];
      const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const inPath = operation?.parameters?.filter((parameter) => parameter.in === 'path') ?? [];
      expect(inPath.map(({ name }) => name)).toEqual(names);
      expect(operation?.summary.length).toBeGreaterThan(5);
      expect(operation?.requestBody !== undefined).toBe(route.body !== undefined);
      expect(operation?.responses.default?.content?.['application/problem+json']?.schema).toEqual({
        $ref: '#/components/schemas/Problem',
      });
    }
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((o) => o.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    // Names for people, not made from the path: a verb and its object.
    for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
    expect(ids.filter((id) => /By[A-Z]|^(get|post|put|patch)[A-Z]/.test(id))).toEqual([]);
  });

  it('resolves every reference, and the answer of every JSON route has a schema', async () => {
    const document = (await rig.api('/openapi.json')).body as Document;
    const references = referencesIn(document);
    expect(references.length).toBeGreaterThan(20);
    for (const reference of references) {
      expect(resolve(document, reference), reference).toBeTypeOf('object');
    }
    const detail = document.paths['/api/v1/experiments/{id}']?.get?.responses['200'];
    expect(detail?.content?.['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/ExperimentDetail',
    });
  });
});

describe('the AsyncAPI document', () => {
  it('has a message for every event, whose schema accepts only valid events', async () => {
    const { body } = await rig.api('/asyncapi.json');
    const document = body as {
      asyncapi: string;
      components: { messages: Record<string, { payload: AnySchema }> };
    };
    expect(document.asyncapi).toBe('3.0.0');
    for (const reference of referencesIn({ ...document, components: {} })) {
      expect(resolve(document, reference), reference).toBeTypeOf('object');
    }
    const payloadOf = (name: string) =>
      new Ajv({ strict: false }).compile(document.components.messages[name]?.payload ?? false);
    const sent: LiveEvent = {
      id: 3,
      at: 1,
      experimentId: 2,
      runId: null,
      event: 'storage',
      data: { code: 'full', message: 'The disk is full.', remedy: 'Make room.', since: 1 },
    };
    expect(payloadOf('storage')(sent)).toBe(true);
    expect(payloadOf('log')(sent)).toBe(false);
    expect(Object.keys(document.components.messages).toSorted()).toEqual(
      liveEventSchema.options.map(({ shape }) => shape.event.value).toSorted(),
    );
  });
});
