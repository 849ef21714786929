import { makeProtocolDraft, type Protocol } from '@mqttlab/shared/catalogue/studies/study';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { experimentDetailSchema } from '@mqttlab/shared/domain/runs/experiment';
import {
  type CreateFromProtocol,
  createFromProtocolSchema,
  protocolListQuerySchema,
  protocolListSchema,
} from '@mqttlab/shared/messages/studies';
import * as z from 'zod';
import { listProtocols } from '../../analysis/list-studies.ts';
import { notFound, unprocessable } from '../../errors.ts';
import { route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';
import { createExperiment } from '../start-experiment.ts';
import { knownProtocol } from '../start-study-run.ts';

/** Published studies as ready plans. */
export function protocolRoutes(parts: ApiParts): Route[] {
  const capabilitiesOf = (wanted: string | undefined): TestbedCapabilities => {
    const testbedId = wanted ?? parts.testbeds.list()[0]?.testbedId ?? '';
    const capabilities = parts.testbeds.capabilities(testbedId);
    if (!capabilities) throw notFound('testbed', testbedId);
    return capabilities;
  };
  return [
    route({
      method: 'get',
      path: '/protocols',
      summary: 'List the protocols with what each costs and leaves out on a testbed',
      access: 'viewer',
      query: protocolListQuerySchema,
      response: { kind: 'json', status: 200, schema: protocolListSchema },
      handle: ({ query }) => {
        const capabilities = capabilitiesOf(query.testbedId);
        return listProtocols(capabilities, {
          overheadMs: parts.runs.medianOverheadMs(capabilities.testbedId),
          own: parts.protocols.listOwn(),
          broken: parts.protocols.listBroken(),
        });
      },
    }),
    route({
      method: 'post',
      path: '/protocols/{id}/experiments',
      summary: 'Make a draft of a protocol, to look at and to start',
      access: 'operator',
      params: z.strictObject({ id: z.string().max(60) }),
      body: createFromProtocolSchema,
      response: { kind: 'json', status: 201, schema: experimentDetailSchema },
      handle: ({ params: { id }, body }) => {
        const { protocol } = knownProtocol(parts, id);
        const draft = draftOf(protocol, body, capabilitiesOf(body.testbedId));
        return createExperiment(parts, draft, { start: false });
      },
    }),
  ];
}

/** Throws a 422 problem for a part that is none or cannot be run. */
function draftOf(
  protocol: Protocol,
  { part: wanted, scale }: CreateFromProtocol,
  capabilities: TestbedCapabilities,
): ExperimentDraft {
  const runnable = protocol.parts.filter(({ plan }) => plan !== null);
  const part = wanted === undefined ? runnable[0] : protocol.parts.find(({ id }) => id === wanted);
  const draft = part && makeProtocolDraft({ protocol, part, scale }, makeTestbedView(capabilities));
  if (draft) return draft;
  const why = part?.gaps.map(({ what, reason }) => `${what}: ${reason}`).join('; ');
  throw unprocessable(`No draft was made of ${protocol.title}.`, [
    {
      field: 'part',
      reason: part ? `it cannot be run yet (${why})` : `there is no part "${wanted ?? ''}"`,
      remedy: `Choose ${runnable.map(({ id }) => id).join(' or ')}.`,
    },
  ]);
}
