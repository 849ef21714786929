import { readArguments } from './script-arguments.mjs';
import { readFiles } from './tracked-files.mjs';

readArguments({
  usage: 'node scripts/check-words.mjs\n\nNames phrases that are not plain English; part of npm run check.',
});

/**
 * Phrases that comments, texts and documentation avoid, with what to write instead.
 *
 * @type {readonly (readonly [RegExp, string])[]}
 */
const phrases = [
  [/\b(whoever|nobody|somebody)\b/i, 'name the actor: the caller, no client, another program'],
  [/\banew\b/i, 'again, from scratch'],
  [/\bh(eld|olds?) against\b/i, 'compared with'],
  [/\b(is|are|was|were) told\b|\btold by\b|\btells? (of|what)\b/i, 'reports, receives, shows'],
  [/\bhears?\b|\bheard\b/i, 'receives, detects'],
  [/\bspeaks? for\b/i, 'reports for'],
  [/\bstands? beside\b|\bbeside it\b/i, 'next to'],
  [/\bstand in the way\b/i, 'prevent'],
  [/\bso long as it\b/i, 'while it'],
  [/\bof (its|their) own\b/i, 'separate, dedicated'],
  [/\bof yours\b|\bat home\b/i, 'your, on this machine'],
  [/\bgives? up\b/i, 'abandons, times out'],
  [/\b(is|are) gone\b/i, 'was removed, has ended'],
  [/\btakes? in\b/i, 'includes'],
  [/\bas it comes\b|\bas many as go\b/i, 'by default, as many as possible'],
  [/\bput right\b|\bmend(s|ed)?\b/i, 'corrected, fixed'],
  [/\bgoes along\b|\btravels?\b/i, 'is included, is sent'],
  [/\b(says|said) so\b|\b(is|are) said\b/i, 'reports it'],
  [/\bthere and back\b/i, 'round trip'],
  [/\bwhat (was|is (asked|wanted|meant))\b/i, 'the noun itself: the negotiated suite, the requested level'],
  [/\bfor it is\b/i, 'because it is'],
  [/\bbut for (?!example)/i, 'except for, without'],
  [/\b(?<!you )want(s|ed)? to\b/i, 'needs to, is about to'],
  [/\b(lies|lives) (in|on|at)\b/i, 'is in'],
  [/\b(stood|stands) still\b/i, 'was paused, did not run'],
  [/\bunder way\b/i, 'in progress, in transit'],
  [/\bfor ever\b/i, 'forever'],
  [/\bwithout a trace\b/i, 'completely'],
  [/\brests? on (?!the same)/i, 'is based on, uses'],
  [/\btells? (it|them) from\b|\btells? (the )?[\w ]{1,40} apart\b/i, 'distinguishes'],
  [/\b[nN]ull where\b/, 'null if'],
  [/\bhands? (it|them) on\b/i, 'passes it on, shares it'],
  [/\bat the same other\b/i, 'at equal levels of the other factors'],
  [/\ba second of every\b/i, 'per second on every'],
  [/\b(takes|taken) back\b/i, 'transformed back, withdrawn'],
];

/**
 * Terms that the glossary replaces (docs/glossary.md, "Preferred terms"), with the term to write.
 *
 * @type {readonly (readonly [RegExp, string])[]}
 */
const terms = [
  [/\blog of changes\b|\baudit logs?\b/i, 'activity log'],
  [/\bpacket dumps?\b/i, 'capture'],
  [/\bforeign device\b/i, 'external device'],
  [/\bforeign broker\b/i, 'external broker'],
  [/\bmarked runs?\b/i, 'flagged run'],
  [/\bsmall letters?\b/i, 'lower-case letters'],
];

/** Files whose words are not ours, or that list the phrases. */
const exempt = [
  /^CHANGELOG\.md$/,
  /^docs\/glossary\.md$/,
  /^scripts\/check-words\.mjs$/,
  /^docs\/THIRD-PARTY/,
];
/**
 * Places where a phrase is the right one: a path and a part of the line.
 *
 * @type {readonly (readonly [string, string])[]}
 */
const allowed = [];

const comment = /^\s*(\*|\/\/|\/\*)|\/\/\s/;
const string = /'([^'\n]*\s[^'\n]*)'|`([^`\n]*\s[^`\n]*)`|"([^"\n]*\s[^"\n]*)"|>([^<>{}\n]*\s[^<>{}\n]*)</g;

/**
 * The prose of a line: comments and texts of a few words, or the whole line of a document.
 *
 * @param {string} file
 * @param {string} line
 */
function proseOf(file, line) {
  if (file.endsWith('.md')) return line;
  const commented = comment.test(line) ? line.slice(Math.max(0, line.indexOf('//'))) : '';
  return [commented, ...(line.match(string) ?? [])].join(' ');
}

const hits = readFiles(/\.(tsx?|mjs|md)$/)
  .filter(({ file }) => !exempt.some((pattern) => pattern.test(file)))
  .flatMap(({ file, lines }) =>
    lines.flatMap((line, index) => {
      const prose = proseOf(file, line);
      return [...phrases, ...terms].flatMap(([phrase, instead]) => {
        const [hit] = phrase.exec(prose) ?? [];
        const isAllowed = allowed.some(([path, part]) => path === file && line.includes(part));
        return hit === undefined || isAllowed
          ? []
          : [`${file}:${index + 1}: "${hit}": write instead: ${instead}`];
      });
    }),
  );
for (const hit of hits) console.log(hit);
process.exitCode = hits.length > 0 ? 1 : 0;
