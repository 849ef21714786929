import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { htmlOf, listPages } from './doc-pages.mjs';
import { root } from './project.mjs';
import { writeAddresses } from './write-addresses.mjs';

/**
 * Returns generated files by path: references from the code, the list of documentation pages, and the files that state
 * the address of the repository. Needs a Node that runs TypeScript.
 *
 * @returns {Promise<Record<string, string>>}
 */
export async function writeReference() {
  const { writeMetricsReference } = await import('../packages/shared/src/catalogue/metrics-reference.ts');
  const { factors } = await import('../packages/shared/src/catalogue/factors.ts');
  const { verdicts } = await import('../packages/shared/src/catalogue/verdicts.ts');
  const { metrics } = await import('../packages/shared/src/catalogue/metrics.ts');
  const { makeTestbedView } = await import('../packages/shared/src/domain/devices/testbed-view.ts');
  const { makeTestbed } = await import('../packages/shared/src/testing/factories.ts');
  const { endpoints } = await import('../packages/shared/src/messages/api.ts');
  const { makePlanFileSchema } = await import('../packages/shared/src/planning/plan-file-schema.ts');
  const { exitCodes } = await import('../packages/shared/src/domain/exit-codes.ts');
  const { listUsages } = await import('../apps/cli/src/program.ts');
  const { commonOptions, listOptions } = await import('../apps/cli/src/program.ts');
  const { makeAsyncApi } = await import('../apps/server/src/api/openapi.ts');
  const { writeCompatibility } = await import('./write-compatibility.mjs');
  const testbed = makeTestbedView(makeTestbed());
  const written = {
    'docs/reference/metrics.md': writeMetricsReference(),
    'docs/reference/factors.md': writeFactors(factors, testbed),
    'docs/reference/verdicts.md': writeVerdicts(verdicts, metrics),
    'docs/reference/api.md': writeApi(endpoints),
    'docs/reference/live-events.md': writeLiveEvents(/** @type {LiveDocument} */ (makeAsyncApi(''))),
    'docs/plan.schema.json': `${JSON.stringify(makePlanFileSchema())}\n`,
    'docs/reference/compatibility.md': await writeCompatibility(page),
    'docs/reference/command-line.md': writeCommands(listUsages(), { commonOptions, exitCodes, listOptions }),
    ...writeAddresses(),
  };
  return { ...written, 'apps/web/src/pages/search/documentation-pages.ts': writeDocumentationPages(written) };
}

/**
 * The documentation pages that the search of the page finds, with their headings.
 *
 * @param {Record<string, string>} written
 */
function writeDocumentationPages(written) {
  const pages = listPages()
    .sort()
    .map((path) => {
      const text = written[`docs/${path}`] ?? readFileSync(join(root, 'docs', path), 'utf8');
      const title = /^# (.+)$/m.exec(text)?.[1] ?? path;
      const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, words = '']) => words.replaceAll('`', ''));
      return `  {\n    path: ${quote(htmlOf(path))},\n    title: ${quote(title)},\n    headings: [${headings.map(quote).join(', ')}],\n  },\n`;
    });
  return `// Generated from docs/ by \`npm run reference\`.
// biome-ignore-all format: generated
/** Pages below /docs/, with their second-level headings. */
export const documentationPages: readonly { path: string; title: string; headings: readonly string[] }[] = [
${pages.join('')}];
`;
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}

const groupLabels = {
  security: 'Security of the connection',
  payload: 'Security inside the message',
  message: 'Messages',
  load: 'Load',
  network: 'Network',
  system: 'Programs',
};

/**
 * @typedef {import('../packages/shared/src/domain/factor.ts').FactorDefinition} Factor
 * @typedef {ReturnType<typeof import('../packages/shared/src/domain/devices/testbed-view.ts').makeTestbedView>} Testbed
 */

/**
 * @param {readonly Factor[]} factors
 * @param {Testbed} testbed
 */
function writeFactors(factors, testbed) {
  const groups = Object.entries(groupLabels).flatMap(([group, label]) => [
    `## ${label}`,
    ...factors.filter((factor) => factor.group === group).map((factor) => writeFactor(factor, testbed)),
  ]);
  return page(
    'Factors',
    'What an experiment can vary. Plan files use the id; levels also have short forms (`tls1.3`, `aes-256-gcm`, `10 KB`). Levels depend on the testbed: the lists are for a testbed with Mosquitto and OpenSSL 3.5.',
    ...groups,
  );
}

/**
 * @param {Factor} factor
 * @param {Testbed} testbed
 */
function writeFactor(factor, testbed) {
  const { id, label, help, unit, input, audience } = factor;
  const levels = factor
    .options(testbed)
    .map(({ value }) => `\`${value}\``)
    .join(', ');
  const range =
    input.kind === 'number'
      ? `${input.integer ? 'Whole numbers' : 'Numbers'} from ${input.min} to ${input.max}${unit === null ? '' : ` ${unit}`}; suggested: `
      : 'Levels: ';
  return [
    `### ${label}`,
    `\`${id}\`${audience === 'expert' ? ' (among the expert factors of the wizard)' : ''}. ${help}`,
    levels === '' ? 'Levels are what the testbed has.' : `${range}${levels}.`,
  ].join('\n\n');
}

/**
 * @param {typeof import('../packages/shared/src/catalogue/verdicts.ts').verdicts} verdicts
 * @param {typeof import('../packages/shared/src/catalogue/metrics.ts').metrics} metrics
 */
function writeVerdicts(verdicts, metrics) {
  const rows = verdicts.map(({ id, label, matters }) => {
    const groups = [...Map.groupBy(metrics, ({ group }) => group)].flatMap(([group, own]) => {
      const mattering = own.filter((metric) => matters?.(metric)).length;
      if (mattering === 0) return [];
      return mattering === own.length ? [group] : [`${group} (${mattering} of ${own.length})`];
    });
    return `| ${label} | \`${id}\` | ${matters === undefined ? 'every metric' : groups.join(', ')} |`;
  });
  return page(
    'Verdicts',
    'The checks of every run. The page of a run shows the figures behind each of them. A failed check flags the run: the analysis leaves out the values of the affected metrics, and reports the number of runs. The table lists these metrics by group; "4 of 27" means that 4 of the 27 metrics of the group are affected.',
    ['| verdict | id | affects |', '| --- | --- | --- |', ...rows].join('\n'),
  );
}

/**
 * @typedef {{ name: string, title: string, payload: Schema }} LiveMessage
 * @typedef {{ info: { description: string }, components: { messages: Record<string, LiveMessage> } }} LiveDocument
 */

/** @param {LiveDocument} document */
function writeLiveEvents({ info, components }) {
  const messages = Object.values(components.messages).map(({ name, title, payload }) =>
    [
      `## ${name}`,
      `${title}.`,
      [
        '| field | type |',
        '| --- | --- |',
        ...listFields(payload).map(([path, type]) => `| \`${path}\` | ${type} |`),
      ].join('\n'),
    ].join('\n\n'),
  );
  return page(
    'Live events',
    `${info.description} The AsyncAPI document of a running server, \`/api/v1/asyncapi.json\`, has the complete JSON Schema of each event. The tables below list the fields down to the third level.`,
    ...messages,
  );
}

/** @typedef {{ type?: string, enum?: unknown[], const?: unknown, items?: Schema, properties?: Record<string, Schema>, anyOf?: Schema[], oneOf?: Schema[] }} Schema */

/**
 * Lists the fields of a JSON Schema to the third level, by path.
 *
 * @param {Schema} schema
 * @param {string} [path]
 * @param {number} [depth]
 * @returns {[path: string, type: string][]}
 */
function listFields(schema, path = '', depth = 0) {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.flatMap((one) => (one.type === 'null' ? [] : listFields(one, path, depth)));
  if (schema.type === 'array' && schema.items) return listFields(schema.items, `${path}[]`, depth);
  if (schema.properties === undefined || depth >= 3) {
    return [[path, schema.enum ? schema.enum.join(', ') : String(schema.const ?? schema.type ?? 'any')]];
  }
  return Object.entries(schema.properties).flatMap(([name, one]) =>
    listFields(one, path === '' ? name : `${path}.${name}`, depth + 1),
  );
}

/** @param {typeof import('../packages/shared/src/messages/api.ts').endpoints} endpoints */
function writeApi(endpoints) {
  const rows = Object.entries(endpoints).map(
    ([address, { access, summary }]) => `| \`${address}\` | ${access} | ${cell(summary)} |`,
  );
  return page(
    'API',
    'Addresses below `/api/v1`. Bodies and answers are in the OpenAPI document, `/api/v1/openapi.json` of a running server, which shows it at `/api/docs`. Errors are problem documents (RFC 9457) that name the field and the remedy. The role is the least that may call.',
    'Requests that create something accept an `Idempotency-Key`. A draft has an ETag, and saving with `If-Match` never overwrites the change of another person. Live events use a WebSocket at `/api/v1/live`: a snapshot, then changes; `?after=ID` resumes ([live events](live-events.md)). Outside `/api/v1`, the server answers at `/livez`, `/readyz`, `/version` and `/metrics` (Prometheus). [Standard Webhooks](https://www.standardwebhooks.com), signed and retried for about an hour, notify your URL of events: `npm run mqttlab -- webhook add URL`, or *Settings*; the OpenAPI document describes the message.',
    ['| address | role | what it does |', '| --- | --- | --- |', ...rows].join('\n'),
  );
}

/**
 * @param {ReturnType<typeof import('../apps/cli/src/program.ts').listUsages>} usages
 * @param {Pick<typeof import('../apps/cli/src/program.ts'), 'commonOptions' | 'listOptions'> & Pick<typeof import('../packages/shared/src/domain/exit-codes.ts'), 'exitCodes'>} parts
 */
function writeCommands(usages, { commonOptions, exitCodes, listOptions }) {
  const groups = Map.groupBy(usages, ({ line }) => line.split(' ')[0]);
  const parts = [...groups].flatMap(([name, own]) => [
    `## ${name}`,
    ...own.map(({ line, does, command, examples }) => {
      const options = listOptions(command);
      return [
        `\`npm run mqttlab -- ${line}\``,
        does,
        ...(options.length === 0 ? [] : [writeOptions(options)]),
        `${examples.length === 1 ? 'Example' : 'Examples'}: ${examples.map((example) => `\`${example}\``).join(', ')}`,
      ].join('\n\n');
    }),
  ]);
  return page(
    'Command line',
    '`--help` after a command lists its options, `--version` prints the version. An option that a command does not have is an error. Experiments and runs are written as the page shows them: `E-12`, `"E-12, run 3"`, also `E-12/3`.',
    '## Common options',
    writeOptions(commonOptions),
    '## Exit codes',
    [
      '| code | meaning | with `--strict` also |',
      '| ---: | --- | --- |',
      ...exitCodes.map(({ code, meaning, withStrict }) => `| ${code} | ${meaning} | ${withStrict ?? ''} |`),
    ].join('\n'),
    ...parts,
  );
}

/** @param {readonly (readonly [form: string, does: string])[]} options */
function writeOptions(options) {
  return [
    '| option | description |',
    '| --- | --- |',
    ...options.map(([form, does]) => `| \`${cell(form)}\` | ${cell(does)} |`),
  ].join('\n');
}

/**
 * @param {string} title
 * @param {string} about
 * @param {readonly string[]} parts
 */
function page(title, about, ...parts) {
  const note = 'Generated from the code by `npm run reference`.';
  return `${[`# ${title}`, about, note, ...parts].join('\n\n')}\n`;
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll('|', '\\|');
}
