import { notFound } from '../../base/errors.ts';
import type { ReportQuestion } from '../../results/report.ts';
import { on, type Route } from '../route.ts';
import { fileNameOf, untilGone } from '../send.ts';
import type { Services } from '../services.ts';

/** Reports on experiments, computed once. */
export function reportRoutes({ stores: { experiments }, answers }: Services): Route[] {
  const questionOf = (id: number, flagged: 'true' | 'false'): ReportQuestion => ({
    experimentId: id,
    takesFlagged: flagged === 'true',
  });
  return [
    on('GET /experiments/{id}/report', ({ params: { id }, query: { flagged }, caller }) =>
      untilGone(caller.request.socket, (signal) =>
        answers.get('report', questionOf(id, flagged), { experimentIds: [id], signal }),
      ),
    ),
    ...(['json', 'html'] as const).map((format) =>
      on(`GET /experiments/{id}/report.${format}`, async ({ params: { id }, query: { flagged }, caller }) => {
        const file = { question: questionOf(id, flagged), format };
        const { bytes } = await untilGone(caller.request.socket, (signal) =>
          answers.get('reportFile', file, { experimentIds: [id], signal }),
        );
        return { name: fileNameOf(`E-${id}-report`, experiments.find(id)?.name ?? '', format), body: bytes };
      }),
    ),
    on('GET /experiments/{id}/report/progress', ({ params: { id }, query: { flagged } }) => {
      if (!experiments.find(id)) throw notFound('experiment', id);
      return answers.progress('report', questionOf(id, flagged), [id]);
    }),
  ];
}
