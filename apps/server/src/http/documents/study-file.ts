import { issuesOf } from '@mqttlab/shared/domain/issue';
import { type StudyFile, studyFileSchema, studyFileVersion } from '@mqttlab/shared/domain/plans/study-file';
import * as YAML from 'yaml';
import { unprocessable } from '../../base/errors.ts';
import { readDocument } from './read-document.ts';
import { longYamlAsJson } from './yaml-in-thread.ts';

const refused = 'The study file cannot be used.';
const studyKind = { detail: refused, what: 'a study file', newest: studyFileVersion };

export function writeStudyFile(file: StudyFile, format: 'yaml' | 'json'): string {
  return format === 'yaml' ? YAML.stringify(file, { lineWidth: 110 }) : `${JSON.stringify(file, null, 2)}\n`;
}

/** Reads a study exactly as it was exported, YAML or JSON. Throws a 422 problem that names the field. */
function parseStudyFile(text: string): StudyFile {
  const input = withPresentKind(readDocument(text, studyKind));
  const parsed = studyFileSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw unprocessable(refused, issuesOf(parsed.error));
}

/** Files of earlier versions call a study a protocol. */
function withPresentKind(input: unknown): unknown {
  const isEarlier =
    typeof input === 'object' && input !== null && 'kind' in input && input.kind === 'mqttlab protocol';
  return isEarlier ? { ...input, kind: 'mqttlab study' } : input;
}

/** The same for a text of any length, without keeping others waiting. */
export async function takeStudyFile(text: string): Promise<StudyFile> {
  return parseStudyFile(await longYamlAsJson(text, studyKind));
}
