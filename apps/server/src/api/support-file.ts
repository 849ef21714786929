import { namesOfSettings } from '../base/config.ts';
import type { Services } from './services.ts';

const maxLines = 500;
const leftOut = '(left out)';

/**
 * Random text has letters and digits. One token of 22 characters in forty has no digit, but switches between
 * upper and lower case more often than a name in camel case does. There are two steps, because a single
 * expression for both would take quadratic time.
 */
const longWord = /[\w+/=-]{20,}/g;
const caseChange = /[a-z](?=[A-Z])|[A-Z](?=[a-z])/g;
/** Changes between cases per letter: at most 0.3 in camel case, about 0.5 in random letters. */
const minChangesPerLetter = 0.3;
const isRandom = (word: string): boolean =>
  /[a-z]/i.test(word) &&
  (/\d/.test(word) || (word.match(caseChange)?.length ?? 0) > minChangesPerLetter * word.length);
const withoutRandom = (word: string): string => (isRandom(word) ? leftOut : word);

/**
 * Data that support does not need: keys, logins in addresses, values named as secrets, and long random text.
 */
const secretForms: readonly [RegExp, string][] = [
  [/-----BEGIN [^-]+-----[\s\S]*?(-----END [^-]+-----|$)/g, leftOut],
  [/(\w:\/\/)[^\s/@]+@/g, `$1${leftOut}@`],
  [/\b(Bearer|Basic)\s+\S+/gi, `$1 ${leftOut}`],
  [
    /((?:password|passphrase|secret|token|key|cookie|authorization)["']?\s*[=:]\s*)("[^"]*"|'[^']*'|\S+)/gi,
    `$1${leftOut}`,
  ],
  // Share links.
  [/(\/s\/)[\w-]{16,}/g, `$1${leftOut}`],
  [/\$argon2\S+|sealed:v1:\S+/g, leftOut],
];

/** Returns a text without possible secrets and without the server's own secrets. */
function withoutSecrets(text: string, known: readonly string[]): string {
  const plain = known
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, leftOut), text);
  const named = secretForms.reduce((rest, [form, instead]) => rest.replace(form, instead), plain);
  return named.replace(longWord, withoutRandom);
}

/**
 * Creates the support file: versions, names of settings, schema, sizes and the end of the log, without
 * secrets and names.
 */
export async function makeSupportFile(services: Services): Promise<string> {
  const { parts: sizes, usedBytes, settings, removedRuns } = await services.stores.storage.measureUsage();
  const known = services.stores.knownSecrets();
  const content = {
    kind: 'mqttlab support',
    madeAt: new Date(services.system.now()).toISOString(),
    version: services.system.version,
    system: { platform: process.platform, architecture: process.arch, memory: process.memoryUsage() },
    settings: namesOfSettings(process.env),
    storage: { ...settings, usedBytes, freeBytes: await services.system.diskFreeBytes(), sizes, removedRuns },
    database: {
      schema: services.stores.storage.schemaVersion(),
      integrity: services.stores.storage.checkIntegrity(),
      rows: await services.stores.storage.countRows(),
    },
    runs: services.stores.runs.countRunsByStatus(),
    devices: services.devices.testbeds
      .listTestbeds()
      .flatMap(({ testbedId, devices }) =>
        devices.map(({ role, online, capabilities }) => ({
          testbedId,
          role,
          online,
          agent: capabilities?.agentVersion ?? null,
          os: capabilities?.os ?? null,
          kernel: capabilities?.kernel ?? null,
        })),
      ),
    log: services.stores.runs
      .listRecentLogLines(maxLines)
      .map(({ runId, line }) => ({
        at: new Date(line.at).toISOString(),
        level: line.level,
        source: line.source,
        runId,
        text: withoutSecrets(line.text, known),
      })),
  };
  return `${JSON.stringify(content, null, 1)}\n`;
}
