import { isFinished } from '@mqttlab/shared/domain/runs/experiment';
import { needsReport } from '@mqttlab/shared/figures/studies/make-study-document';
import { studyFactsOf } from '@mqttlab/shared/figures/studies/study-facts';
import type { SharedContent } from '@mqttlab/shared/messages/shares';
import type { ProtocolRun, ProtocolRunPart } from '@mqttlab/shared/messages/studies';
import { notFound } from '../../errors.ts';
import type { ProtocolStore } from '../../store/experiments/study-store.ts';
import type { ShareSubject } from '../../store/settings/share-store.ts';
import { makeComparison } from '../compare.ts';
import type { ReportDesk } from '../report/report-service.ts';
import type { AnalysisStores } from '../stores.ts';
import { viewProtocolRun } from '../view-study-run.ts';

export interface SharedProtocolStores extends AnalysisStores {
  protocols: Pick<ProtocolStore, 'findRun'>;
  reports: Pick<ReportDesk, 'get'>;
}

type Content = Extract<SharedContent['content'], { kind: 'protocol' }>;

/** Everything that the page of a protocol run is drawn from. Throws a 404 problem where there is no such run. */
export async function shareProtocolRun(
  stores: SharedProtocolStores,
  { protocolRunId, flagged }: Extract<ShareSubject, { kind: 'protocol' }>,
) {
  const record = stores.protocols.findRun(protocolRunId);
  if (!record) throw notFound('protocol run', protocolRunId);
  const run = viewProtocolRun(stores, record);
  const results: Content['results'] = [];
  for (const part of run.parts) {
    const result = await resultOf(stores, { run, part, flagged });
    if (result) results.push(result);
  }
  const content: Content = { kind: 'protocol', run, flagged, results };
  const live = run.status === 'running';
  return { title: `${run.title}, ${run.scale} (protocol run ${run.id})`, content, live, settled: !live };
}

interface Asked {
  run: ProtocolRun;
  part: ProtocolRunPart;
  flagged: boolean;
}

async function resultOf(
  stores: SharedProtocolStores,
  { run: { protocolId }, part: { id, experimentId, status }, flagged }: Asked,
): Promise<Content['results'][number] | null> {
  const experiment = experimentId === null ? null : stores.experiments.detail(experimentId);
  if (experimentId === null || !experiment || experiment.deletedAt !== null) return null;
  const comparison = makeComparison(stores, { experiments: String(experimentId) });
  const first = experiment.runs.find((one) => one.status === 'done');
  const isDrawn = first !== undefined && needsReport({ protocolId, partId: id });
  // Visitors of a link that is live come again and again: none of them sets such work going.
  const isReady = status !== null && isFinished(status);
  return {
    partId: id,
    comparison,
    facts: studyFactsOf(first && (stores.runs.detail(first.id) ?? undefined)),
    report:
      isDrawn && isReady
        ? await stores.reports.get({ experimentId, takesFlagged: flagged }, new AbortController().signal)
        : null,
  };
}
