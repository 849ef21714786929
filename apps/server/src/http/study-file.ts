import { issuesOf } from '@mqttlab/shared/domain/plans/issue';
import {
  type ProtocolFile,
  protocolFileSchema,
  protocolFileVersion,
} from '@mqttlab/shared/domain/plans/study-file';
import * as YAML from 'yaml';
import { unprocessable } from '../errors.ts';
import { readDocument } from './read-document.ts';
import { longYamlAsJson } from './yaml-in-thread.ts';

const refused = 'The protocol file cannot be taken.';
const protocolKind = { detail: refused, what: 'a protocol file', newest: protocolFileVersion };

export function writeProtocolFile(file: ProtocolFile, format: 'yaml' | 'json'): string {
  return format === 'yaml' ? YAML.stringify(file, { lineWidth: 110 }) : `${JSON.stringify(file, null, 2)}\n`;
}

/** Reads a protocol exactly as it was exported, YAML or JSON. Throws a 422 problem that names the field. */
function parseProtocolFile(text: string): ProtocolFile {
  const input = readDocument(text, protocolKind);
  const parsed = protocolFileSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw unprocessable(refused, issuesOf(parsed.error));
}

/** The same for a text of any length, without keeping others waiting. */
export async function takeProtocolFile(text: string): Promise<ProtocolFile> {
  return parseProtocolFile(await longYamlAsJson(text, protocolKind));
}
