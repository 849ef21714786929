import type { Authorship } from '@mqttlab/shared/domain/authorship';
import type { Report } from '@mqttlab/shared/domain/report/report';
import type { Problem } from '@mqttlab/shared/messages/http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as YAML from 'yaml';
import { type ApiRig, startApiRig } from '../api/testing/api-rig.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { bundleFiles } from './bundle-format.ts';
import { openZip } from './read-zip.ts';
import { exportBundle, importBundle } from './testing/pack-bundle.ts';

const stated: Authorship = {
  author: 'Ada Lovelace',
  orcid: '0000-0002-1825-0097',
  affiliation: 'Analytical Engines & Co',
  licence: 'CC-BY-4.0',
  funding: 'Grant 42',
};

let rig: ApiRig;
let id: number;
beforeAll(async () => {
  rig = await startApiRig();
  ({ id } = playExperiment(rig, { repetitions: 1 }, () => ({ latencyMs: 1 })));
});
afterAll(() => rig.stop());

async function readBundle(packed: Buffer, path: string): Promise<string> {
  const zip = await openZip(packed, packed.length);
  const text = (await zip.read(path)).toString();
  zip.close();
  return text;
}

it('is absent until it is set, then in report, citation, crate, and imports of the bundle', async () => {
  const before = (await rig.api(`/experiments/${id}/report`)).body as Report;
  expect(before.experiment.authorship).toBeUndefined();
  const versionOf = async (bundle: Buffer) =>
    JSON.parse(await readBundle(bundle, bundleFiles.experiment)).bundleVersion;
  expect(await versionOf(await exportBundle(rig, id))).toBe(1);

  const saved = await rig.api('/authorship', {
    method: 'PUT',
    body: { ...stated, orcid: `https://orcid.org/${stated.orcid}` },
  });
  expect([saved.status, saved.body]).toEqual([200, stated]);
  expect((await rig.api('/authorship')).body).toEqual(stated);

  const after = (await rig.api(`/experiments/${id}/report`)).body as Report;
  expect(after.experiment.authorship).toEqual(stated);
  const html = (await rig.api(`/experiments/${id}/report.html`)).text;
  expect(html).toContain('Ada Lovelace (ORCID 0000-0002-1825-0097), Analytical Engines &amp; Co');

  const packed = await exportBundle(rig, id);
  // A program that supports version 1 does not know the field.
  expect(await versionOf(packed)).toBe(2);
  const { '@graph': graph } = JSON.parse(await readBundle(packed, bundleFiles.metadata)) as {
    '@graph': ({ '@id': string } & Record<string, unknown>)[];
  };
  const find = (reference: unknown) =>
    graph.find((entity) => entity['@id'] === (reference as { '@id': string })['@id']);
  const root = find({ '@id': './' });
  const author = find(root?.author);
  expect(author).toMatchObject({
    '@id': `https://orcid.org/${stated.orcid}`,
    '@type': 'Person',
    name: stated.author,
  });
  expect(find(author?.affiliation)).toMatchObject({ name: stated.affiliation });
  expect(find(root?.license)).toMatchObject({ '@id': 'https://spdx.org/licenses/CC-BY-4.0' });
  expect(find(root?.funding)).toMatchObject({ name: stated.funding });
  expect(YAML.parse(await readBundle(packed, 'CITATION.cff'))).toMatchObject({
    type: 'dataset',
    license: 'CC-BY-4.0',
    authors: [
      { 'family-names': 'Lovelace', 'given-names': 'Ada', orcid: `https://orcid.org/${stated.orcid}` },
    ],
  });
  const bibtex = await readBundle(packed, 'report/citation.bib');
  expect(bibtex).toContain('author = {Ada Lovelace}');
  expect(bibtex).toContain('license = {CC-BY-4.0}');

  // The author of an import is that of its bundle, not of the importing server.
  await rig.api('/authorship', { method: 'PUT', body: { ...stated, author: 'Importer', orcid: '' } });
  const { id: there } = (await importBundle(rig, packed)).body;
  const imported = (await rig.api(`/experiments/${there}/report`)).body as Report;
  expect(imported.experiment.authorship).toEqual(stated);
});

it.each([
  ['orcid', { orcid: '0000-0002-1825-0098' }],
  ['licence', { licence: 'CC BY 4.0' }],
  ['author', { author: 'x'.repeat(201) }],
])('a wrong %s is refused with its field', async (field, change) => {
  const { status, body } = await rig.api('/authorship', { method: 'PUT', body: { ...stated, ...change } });
  expect([status, (body as Problem).issues.map((issue) => issue.field)]).toEqual([422, [field]]);
});
