import { setImmediate as breathe } from 'node:timers/promises';
import { protocols } from '@mqttlab/shared/catalogue/studies';
import { makeOwnProtocol } from '@mqttlab/shared/catalogue/studies/own-study';
import {
  makeProtocolDraft,
  type Protocol,
  type ProtocolPart,
  protocolScales,
} from '@mqttlab/shared/catalogue/studies/study';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView, type TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { Issue } from '@mqttlab/shared/domain/plans/issue';
import type { ProtocolFile } from '@mqttlab/shared/domain/plans/study-file';
import type { ProtocolList, ProtocolPartView } from '@mqttlab/shared/messages/studies';
import { estimate } from '@mqttlab/shared/planning/estimate';
import { type LeftOut, leftOutOf } from '@mqttlab/shared/planning/left-out';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';

interface Where {
  capabilities: TestbedCapabilities;
  view: TestbedView;
  /** Median of earlier runs on this testbed, ms; null before the first. */
  overheadMs: number | null;
}

interface OwnProtocols {
  overheadMs: number | null;
  own: readonly ProtocolFile[];
  /** Those that are stored and cannot be read. */
  broken: readonly { id: string; reason: string }[];
}

/** The studies, then the own ones, each with what it costs and leaves out on a testbed. */
export async function listProtocols(
  capabilities: TestbedCapabilities,
  { overheadMs, own, broken }: OwnProtocols,
): Promise<ProtocolList> {
  const where = { capabilities, view: makeTestbedView(capabilities), overheadMs };
  const listed = [
    ...protocols.map((protocol) => ({ protocol, file: null })),
    ...own.map((file) => ({ protocol: makeOwnProtocol(file), file })),
  ];
  const items: ProtocolList['items'] = [];
  for (const { protocol, file } of listed) {
    const { id, title, question, citation, publishedTestbed } = protocol;
    const parts: ProtocolPartView[] = [];
    for (const part of protocol.parts) {
      parts.push(viewOf(protocol, part, where));
      // Each is planned three times over.
      await breathe();
    }
    items.push({ id, title, question, citation, publishedTestbed, own: file, parts });
  }
  return { testbedId: capabilities.testbedId, items: [...items, ...broken.map(brokenView)] };
}

/** Stands in the gallery, so that it can be exported and deleted. */
function brokenView({ id, reason }: OwnProtocols['broken'][number]) {
  return {
    ...{ id, title: id, question: '', citation: '', publishedTestbed: '', own: null, parts: [] },
    broken: reason,
  };
}

function viewOf(protocol: Protocol, part: ProtocolPart, where: Where): ProtocolPartView {
  const { id, title, question } = part;
  const planned = protocolScales.map((scale) => {
    const draft = makeProtocolDraft({ protocol, part, scale }, where.view);
    return { scale, parsed: draft && parsePlan(draft, where.capabilities) };
  });
  const left = [
    ...protocolScales.flatMap((scale) => leftOutOf({ protocol, part, scale }, where.view)),
    ...planned.flatMap(({ parsed }) => (parsed && !parsed.ok ? parsed.issues.map(asLeftOut) : [])),
  ];
  return {
    ...{ id, title, question },
    scales: planned.flatMap(({ scale, parsed }) => {
      if (!parsed?.ok) return [];
      const { runs, durationMs } = estimate(parsed.plan, where.overheadMs);
      return [{ scale, note: part.notes[scale], runs, durationMs }];
    }),
    // Scales ask for different levels; each is named once.
    leftOut: [...new Map(left.map((one) => [one.what, one])).values()],
  };
}

/** Why a part is no plan at all here. */
function asLeftOut({ field, reason, remedy }: Issue): LeftOut {
  return { what: field, reason, remedy };
}
