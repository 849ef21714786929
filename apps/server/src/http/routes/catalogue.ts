import { factors } from '@mqttlab/shared/catalogue/factors';
import { metrics } from '@mqttlab/shared/catalogue/metrics';
import { verdicts } from '@mqttlab/shared/catalogue/verdicts';
import { roles } from '@mqttlab/shared/domain/devices/device';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { factorGroups } from '@mqttlab/shared/domain/factor';
import { metricGroups } from '@mqttlab/shared/domain/runs/verdict';
import { versionSchema } from '@mqttlab/shared/messages/http';
import { optionsOf } from '@mqttlab/shared/planning/check-plan';
import * as z from 'zod';
import { notFound } from '../../base/errors.ts';
import { route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';

const level = z.union([z.string(), z.number()]);
const factorSchema = z.strictObject({
  id: z.string(),
  label: z.string(),
  group: z.enum(factorGroups),
  audience: z.enum(['everyone', 'expert']),
  help: z.string(),
  unit: z.string().nullable(),
  input: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('choice') }),
    z.strictObject({
      kind: z.literal('number'),
      min: z.number(),
      max: z.number(),
      integer: z.boolean(),
      presets: z.array(z.number()).readonly(),
    }),
  ]),
  default: level,
  /** Levels worth showing on the testbed, with the reason where one is impossible there. */
  levels: z.array(
    z.strictObject({
      value: level,
      label: z.string(),
      refusal: z.strictObject({ reason: z.string(), remedy: z.string() }).nullable(),
    }),
  ),
});
const metricSchema = z.strictObject({
  id: z.string(),
  label: z.string(),
  group: z.enum(metricGroups),
  unit: z.string(),
  better: z.enum(['lower', 'higher']).nullable(),
  role: z.enum(roles).nullable(),
  help: z.string(),
});
const catalogueSchema = z.strictObject({
  testbedId: z.string(),
  factors: z.array(factorSchema),
  metrics: z.array(metricSchema),
  verdicts: z.array(z.strictObject({ id: z.string(), label: z.string() })),
});

/** What can be varied and measured, as data; and who is talking. */
export function catalogueRoutes(parts: ApiParts): Route[] {
  return [
    route({
      method: 'get',
      path: '/catalogue',
      summary: 'List factors with their levels on a testbed, metrics and verdicts',
      access: 'viewer',
      query: z.strictObject({ testbedId: z.string().max(80).optional() }),
      response: { kind: 'json', status: 200, schema: catalogueSchema },
      handle: ({ query }) => makeCatalogue(parts, query.testbedId),
    }),
    route({
      method: 'get',
      path: '/version',
      summary: 'Say which mqttlab this is',
      access: 'viewer',
      response: { kind: 'json', status: 200, schema: versionSchema },
      handle: () => parts.version,
    }),
  ];
}

function makeCatalogue(parts: ApiParts, wanted: string | undefined): z.infer<typeof catalogueSchema> {
  const testbedId = wanted ?? parts.testbeds.list()[0]?.testbedId ?? '';
  const capabilities = parts.testbeds.capabilities(testbedId);
  if (!capabilities) throw notFound('testbed', testbedId);
  const view = makeTestbedView(capabilities);
  // Possible is what any of the testbed's brokers can do.
  const anyBroker = { factors: { broker: view.brokers.map(({ kind }) => kind) } };
  return {
    testbedId,
    factors: factors.map((factor) => {
      const { id, label, group, audience, help, unit, input } = factor;
      const levels = optionsOf(factor, anyBroker, view).map(({ value, refusal }) => ({
        value,
        refusal,
        label: factor.levelLabel(value, view),
      }));
      return { id, label, group, audience, help, unit, input, default: factor.defaultLevel(view), levels };
    }),
    metrics: metrics.map(({ id, label, group, unit, better, role, help }) => ({
      id,
      label,
      group,
      unit,
      better,
      role,
      help,
    })),
    verdicts: verdicts.map(({ id, label }) => ({ id, label })),
  };
}
