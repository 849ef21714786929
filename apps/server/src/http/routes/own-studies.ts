import { findProtocol } from '@mqttlab/shared/catalogue/studies';
import { issuesOf } from '@mqttlab/shared/domain/plans/issue';
import { type ProtocolFile, protocolFileSchema } from '@mqttlab/shared/domain/plans/study-file';
import { importProtocolSchema, saveProtocolSchema } from '@mqttlab/shared/messages/studies';
import * as z from 'zod';
import { makeOwnProtocol } from '../../analysis/make-own-study.ts';
import { conflict, notFound, unprocessable } from '../../errors.ts';
import { fileNameOf } from '../file-name.ts';
import { route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';
import { recordOf } from '../start-experiment.ts';
import { takeProtocolFile, writeProtocolFile } from '../study-file.ts';

const params = z.strictObject({ id: z.string().max(60) });
const contentTypes = { yaml: 'application/yaml', json: 'application/json' } as const;
const longestId = 24;

/** Protocols of people's own: made of experiments, shared as files. */
export function ownProtocolRoutes(parts: ApiParts): Route[] {
  const { protocols } = parts;
  const isTaken = (id: string) => protocols.storedText(id) !== null || findProtocol(id) !== undefined;
  const isBroken = (id: string) => protocols.listBroken().some((broken) => broken.id === id);
  const ownOf = (id: string): ProtocolFile => {
    const file = protocols.findOwn(id);
    if (file) return file;
    if (findProtocol(id)) {
      throw conflict(
        `${id} is a study that comes with mqttlab, not a protocol of your own.`,
        'Choose an own one.',
      );
    }
    throw notFound('protocol', id);
  };
  /** The same file taken in twice stays one protocol; another one of that name gets a number. */
  const keep = (file: ProtocolFile): ProtocolFile => {
    const known = isBroken(file.id) ? null : protocols.findOwn(file.id);
    if (known && JSON.stringify(known) === JSON.stringify(file)) return known;
    const kept = { ...file, id: freeId(file.id, isTaken) };
    protocols.addOwn(kept);
    return kept;
  };
  return [
    route({
      method: 'post',
      path: '/protocols',
      summary: 'Save experiments as a protocol, a part of each, with their results to compare with',
      access: 'operator',
      body: saveProtocolSchema,
      response: { kind: 'json', status: 201, schema: protocolFileSchema },
      handle: ({ body: { experimentIds, ...words } }) => {
        const records = experimentIds.map((id) => recordOf(parts, id, { live: true }));
        const id = freeId(idOf(words.title), isTaken);
        const file = checked(makeOwnProtocol(parts, records, { ...words, id }));
        protocols.addOwn(file);
        return file;
      },
    }),
    route({
      method: 'post',
      path: '/protocols/import',
      summary: 'Take in a protocol file, YAML or JSON',
      access: 'operator',
      body: importProtocolSchema,
      response: { kind: 'json', status: 201, schema: protocolFileSchema },
      handle: async ({ body: { text } }) => keep(await takeProtocolFile(text)),
    }),
    ...(['yaml', 'json'] as const).map((format) =>
      route({
        method: 'get',
        path: `/protocols/{id}/protocol.${format}`,
        summary: `Export a protocol of your own as ${format.toUpperCase()}, to share and to import`,
        access: 'viewer',
        params,
        response: { kind: 'file', contentType: contentTypes[format] },
        handle: ({ params: { id } }) => {
          const stored = isBroken(id) ? protocols.storedText(id) : null;
          if (stored !== null) {
            const name = fileNameOf('protocol', id, format);
            return { name, contentType: contentTypes[format], body: stored };
          }
          const file = ownOf(id);
          const name = fileNameOf('protocol', file.title, format);
          return { name, contentType: contentTypes[format], body: writeProtocolFile(file, format) };
        },
      }),
    ),
    route({
      method: 'delete',
      path: '/protocols/{id}',
      summary: 'Forget a protocol of your own; what was run of it is kept',
      access: 'operator',
      params,
      response: { kind: 'nothing' },
      handle: ({ params: { id } }) => {
        protocols.removeOwn(isBroken(id) ? id : ownOf(id).id);
      },
    }),
  ];
}

/** Throws a 422 problem where experiments make a file that could not be read again. */
function checked(file: ProtocolFile): ProtocolFile {
  const parsed = protocolFileSchema.safeParse(file);
  if (parsed.success) return parsed.data;
  throw unprocessable('No protocol can be made of this.', issuesOf(parsed.error));
}

function idOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestId)
    .replace(/^-+|-+$/g, '');
  return words || 'protocol';
}

function freeId(wanted: string, isTaken: (id: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? '' : `-${number}`;
    const id = wanted.slice(0, longestId - ending.length) + ending;
    if (!isTaken(id)) return id;
  }
}
