import { type ExperimentDraft, experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import { parseDocument } from '../../../api/parse-document.ts';

/** Text of a plan file, YAML or JSON, to a draft. Throws an ApiError that names every field that is wrong. */
export function parsePlanFile(text: string): Promise<ExperimentDraft> {
  return parseDocument(text, experimentDraftSchema, {
    title: 'Not a plan',
    noDocument: 'The file is neither YAML nor JSON',
    noDocumentRemedy: 'Correct that line, or export a plan and compare.',
    wrongForm: 'The file does not have the form of a plan.',
    wrongFormRemedy: 'Export a plan and compare.',
  });
}
