import type { Report } from '@mqttlab/shared/domain/report/report';
import { makeDocumentHtml } from '@mqttlab/shared/figures/document/document-html';
import type { ReportQuestion } from '../../analysis/report/collect-report.ts';
import { notFound } from '../../base/errors.ts';
import type { ApiParts } from '../parts.ts';
import { type HandlerInput, on, type Route } from '../route.ts';
import { fileNameOf, untilGone } from '../send.ts';

type AskedReport = HandlerInput<'GET /experiments/{id}/report'>;

/** What an experiment showed, worked out once and kept. */
export function reportRoutes({ experiments, reports }: ApiParts): Route[] {
  const questionOf = (id: number, flagged: 'true' | 'false'): ReportQuestion => ({
    experimentId: id,
    takesFlagged: flagged === 'true',
  });
  const reportOf = ({ params: { id }, query: { flagged }, caller }: AskedReport): Promise<Report> =>
    untilGone(caller.request.socket, (signal) => reports.get(questionOf(id, flagged), signal));
  return [
    on('GET /experiments/{id}/report', ({ params: { id }, query: { flagged }, caller }) =>
      untilGone(caller.request.socket, (signal) => reports.encoded(questionOf(id, flagged), signal)),
    ),
    ...(['json', 'html'] as const).map((format) =>
      on(`GET /experiments/{id}/report.${format}`, async (asked) => {
        const report = await reportOf(asked);
        return {
          name: fileNameOf(`E-${asked.params.id}-report`, report.experiment.name, format),
          body: format === 'html' ? makeDocumentHtml(report) : `${JSON.stringify(report, null, 1)}\n`,
        };
      }),
    ),
    on('GET /experiments/{id}/report/progress', ({ params: { id }, query: { flagged } }) => {
      if (!experiments.find(id)) throw notFound('experiment', id);
      return reports.progress(questionOf(id, flagged));
    }),
  ];
}
