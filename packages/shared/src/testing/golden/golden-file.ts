/** The file is no set of reference vectors, or contradicts itself. */
export class GoldenFormatError extends Error {
  override readonly name = 'GoldenFormatError';
}

/** The second holds its values in the cases themselves and has no `data`. */
const goldenSchemas: readonly unknown[] = ['mqttlab-golden/1', 'mqttlab-golden/2'];
const DESCRIPTIVE = new Set(['schema', 'split', 'generator', 'data']);

type Fields = ReadonlyMap<string, unknown>;

/** One reference case with typed access to its inputs; every accessor throws GoldenFormatError. */
export interface GoldenCase {
  section: string;
  id: string;
  expect: Fields;
  number(name: string): number;
  text(name: string): string | null;
  flag(name: string): boolean;
  numbers(name: string): number[];
  /** Series named by one data id. */
  series(name: string): number[];
  /** Series named by a list of data ids. */
  seriesList(name: string): number[][];
  objects(name: string): Fields[];
  /** Figures printed in a standard, if the case carries any. */
  published: Fields | null;
}

/** Reads a parsed file of either schema. Throws GoldenFormatError. */
export function parseGoldenFile(input: unknown, sections: ReadonlySet<string>): GoldenCase[] {
  const file = parseFields(input, 'the file');
  const schema = file.get('schema');
  if (!goldenSchemas.includes(schema)) {
    throw new GoldenFormatError(
      `schema must be ${goldenSchemas.join(' or ')}, got ${JSON.stringify(schema)}`,
    );
  }
  const data = new Map<string, number[]>();
  const named = schema === goldenSchemas[0] ? parseFields(file.get('data'), 'data') : new Map();
  for (const [id, entry] of named) {
    data.set(id, parseNumbers(parseFields(entry, `data.${id}`).get('values'), `data.${id}.values`));
  }
  const cases: GoldenCase[] = [];
  for (const [section, list] of file) {
    if (DESCRIPTIVE.has(section)) continue;
    if (!sections.has(section)) throw new GoldenFormatError(`unknown section "${section}"`);
    parseArray(list, section).forEach((entry, i) => {
      cases.push(makeCase(parseFields(entry, `${section}[${i}]`), { section, at: `${section}[${i}]`, data }));
    });
  }
  if (cases.length === 0) throw new GoldenFormatError('the file holds no cases');
  return cases;
}

interface CaseContext {
  section: string;
  at: string;
  data: ReadonlyMap<string, number[]>;
}

function makeCase(fields: Fields, { section, at, data }: CaseContext): GoldenCase {
  const id = fields.get('id');
  if (typeof id !== 'string') throw new GoldenFormatError(`${at}.id must be a text`);
  const where = (name: string) => `${section} "${id}": ${name}`;
  const expect = parseFields(fields.get('expect'), where('expect'));
  if (expect.size === 0) throw new GoldenFormatError(`${where('expect')} is empty`);
  const find = (name: string, dataId: unknown): number[] => {
    const values = typeof dataId === 'string' ? data.get(dataId) : undefined;
    if (values === undefined) throw new GoldenFormatError(`${where(name)} names no data: ${String(dataId)}`);
    return values;
  };
  return {
    section,
    id,
    expect,
    number: (name) => parseNumber(fields.get(name), where(name)),
    text: (name) => {
      const value = fields.get(name) ?? null;
      if (value !== null && typeof value !== 'string')
        throw new GoldenFormatError(`${where(name)} is no text`);
      return value;
    },
    flag: (name) => {
      const value = fields.get(name);
      if (typeof value !== 'boolean') throw new GoldenFormatError(`${where(name)} must be true or false`);
      return value;
    },
    numbers: (name) => parseNumbers(fields.get(name), where(name)),
    series: (name) => find(name, fields.get(name)),
    seriesList: (name) => parseArray(fields.get(name), where(name)).map((dataId) => find(name, dataId)),
    objects: (name) =>
      parseArray(fields.get(name), where(name)).map((entry, i) => parseFields(entry, where(`${name}[${i}]`))),
    published: fields.has('specPublished')
      ? parseFields(fields.get('specPublished'), where('specPublished'))
      : null,
  };
}

/** Own fields of an object. Throws GoldenFormatError. */
export function parseFields(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GoldenFormatError(`${where} must be an object`);
  }
  return new Map<string, unknown>(Object.entries(value));
}

export function parseArray(value: unknown, where: string): unknown[] {
  if (!Array.isArray(value)) throw new GoldenFormatError(`${where} must be a list`);
  return value;
}

export function parseNumber(value: unknown, where: string): number {
  if (typeof value !== 'number') throw new GoldenFormatError(`${where} must be a number`);
  return value;
}

export function parseNumbers(value: unknown, where: string): number[] {
  return parseArray(value, where).map((entry, i) => parseNumber(entry, `${where}[${i}]`));
}
