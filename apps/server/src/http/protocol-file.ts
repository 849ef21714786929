import { issuesOf } from '@mqttlab/shared/domain/issue';
import {
  type ProtocolFile,
  protocolFileSchema,
  protocolFileVersion,
} from '@mqttlab/shared/domain/protocol-file';
import * as YAML from 'yaml';
import { unprocessable } from '../errors.ts';
import { readDocument } from './read-document.ts';

const refused = 'The protocol file cannot be taken.';

export function writeProtocolFile(file: ProtocolFile, format: 'yaml' | 'json'): string {
  return format === 'yaml' ? YAML.stringify(file, { lineWidth: 110 }) : `${JSON.stringify(file, null, 2)}\n`;
}

/** Reads a protocol exactly as it was exported, YAML or JSON. Throws a 422 problem that names the field. */
export function parseProtocolFile(text: string): ProtocolFile {
  const input = readDocument(text, { detail: refused, what: 'a protocol file', newest: protocolFileVersion });
  const parsed = protocolFileSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw unprocessable(refused, issuesOf(parsed.error));
}
