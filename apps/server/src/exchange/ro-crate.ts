import { type Authorship, orcidAddress } from '@mqttlab/shared/domain/authorship';

/** A file of the bundle in its metadata. */
export interface CrateFile {
  path: string;
  bytes: number;
  sha256: string;
  description: string;
  encodingFormat: string;
}

interface Crate {
  name: string;
  description: string;
  /** ISO 8601. */
  datePublished: string;
  keywords: readonly string[];
  software: string;
  files: readonly CrateFile[];
  /** null if nothing is stated. */
  authorship: Authorship | null;
}

/** ro-crate-metadata.json according to RO-Crate 1.2: every file is an entity with size, type and checksum. */
export function makeCrateMetadata({
  name,
  description,
  datePublished,
  keywords,
  software,
  files,
  authorship,
}: Crate): string {
  const version = software.replace(/^mqttlab /, '');
  const stated = statementsOf(authorship);
  const graph = [
    {
      '@id': 'ro-crate-metadata.json',
      '@type': 'CreativeWork',
      conformsTo: { '@id': 'https://w3id.org/ro/crate/1.2' },
      about: { '@id': './' },
    },
    {
      '@id': './',
      '@type': 'Dataset',
      name,
      description: description || name,
      datePublished,
      keywords: [...keywords],
      license: 'The license of the data is for its authors to set.',
      ...stated.properties,
      hasPart: files.map(({ path }) => ({ '@id': path })),
      mentions: { '@id': '#made' },
    },
    {
      '@id': '#made',
      '@type': 'CreateAction',
      name: 'Runs of the experiment and their report',
      endTime: datePublished,
      instrument: { '@id': '#mqttlab' },
      object: { '@id': 'plan.json' },
      result: { '@id': './' },
    },
    {
      '@id': '#mqttlab',
      '@type': 'SoftwareApplication',
      name: 'mqttlab',
      version,
      softwareVersion: software,
      // A package URL: RO-Crate 1.2 requires an address, and there is no home page.
      url: `pkg:generic/mqttlab@${version}`,
    },
    {
      '@id': 'https://w3id.org/ro/terms/workflow-run#sha256',
      '@type': 'rdf:Property',
      name: 'sha256',
      description: 'SHA-256 of the file, hexadecimal',
    },
    ...stated.entities,
    ...files.map(({ path, bytes, sha256, description: what, encodingFormat }) => ({
      '@id': path,
      '@type': 'File',
      name: path,
      description: what,
      contentSize: String(bytes),
      encodingFormat,
      sha256,
    })),
  ];
  const context = [
    'https://w3id.org/ro/crate/1.2/context',
    { sha256: 'https://w3id.org/ro/terms/workflow-run#sha256' },
  ];
  return `${JSON.stringify({ '@context': context, '@graph': graph }, null, 1)}\n`;
}

type Entity = Record<string, unknown>;

/** Properties of the data set with author, licence and funding, and the entities that they refer to. */
function statementsOf(authorship: Authorship | null): { properties: Entity; entities: Entity[] } {
  const properties: Entity = {};
  const entities: Entity[] = [];
  const refer = (property: string, entity: Entity & { '@id': string }): void => {
    properties[property] = { '@id': entity['@id'] };
    entities.push(entity);
  };
  if (authorship === null) return { properties, entities };
  const { author, orcid, affiliation, licence, funding } = authorship;
  const isPerson = author !== '' || orcid !== '';
  if (isPerson) {
    refer('author', {
      '@id': orcid === '' ? '#author' : orcidAddress(orcid),
      '@type': 'Person',
      name: author || orcid,
      ...(affiliation === '' ? {} : { affiliation: { '@id': '#affiliation' } }),
    });
  }
  if (affiliation !== '') {
    const organisation = { '@id': '#affiliation', '@type': 'Organization', name: affiliation };
    if (isPerson) entities.push(organisation);
    else refer('author', organisation);
  }
  if (licence !== '') {
    const url = `https://spdx.org/licenses/${licence}`;
    refer('license', { '@id': url, '@type': 'CreativeWork', name: licence, identifier: licence, url });
  }
  if (funding !== '') refer('funding', { '@id': '#funding', '@type': 'Grant', name: funding });
  return { properties, entities };
}
