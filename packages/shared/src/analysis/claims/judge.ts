import type { ClaimAnswer, ClaimLine, ClaimResult } from '../../domain/report/claims.ts';
import { formatInterval } from '../../format/interval.ts';
import { formatNumber, plural } from '../../format/number.ts';
import { holmLevels } from '../../statistics/comparisons/multiple-testing.ts';
import { isInside, isOutside, type Region, regionPValues } from '../../statistics/comparisons/region.ts';
import { minRuns } from '../estimate.ts';
import { ratioText } from '../phrase.ts';
import type { Claim, Count, Line, MissingLine, PartEvidence, Test } from './claim.ts';
import { contrastLines } from './lines.ts';

/** Significance level for the family of claims in a part. */
const alpha = 0.05;

interface Leaf {
  kind: 'leaf';
  line: Line;
  inside: number;
  outside: number;
}

type Node =
  | Leaf
  | { kind: 'missing'; line: MissingLine }
  | { kind: 'every' | 'some'; nodes: readonly Node[] };

/**
 * p-values of "agrees" and "differs": the levels at which the adjusted intervals would lead to these answers.
 */
interface Decision {
  agrees: number;
  differs: number;
}

type Judged =
  | { claim: Claim; kind: 'tree'; node: Node; decision: Decision }
  | { claim: Claim; kind: 'counts'; counts: readonly Count[]; missing?: string }
  | { claim: Claim; kind: 'not testable'; reason: string };

/**
 * Judges the claims of one part. A claim agrees if its interval is entirely inside the claimed region,
 * differs if it is entirely outside, and is open otherwise. Holm's method, applied over the part's claims,
 * sets the level of the interval. A claim that requires every comparison uses the largest of their p-values
 * (intersection-union test). A claim that requires one comparison uses the smallest p-value times the number
 * of comparisons.
 */
export function judgeClaims(claims: readonly Claim[], evidence: PartEvidence): ClaimResult[] {
  const judged = claims.map((claim) => prepare(claim, evidence));
  const tested = judged.flatMap((one) => (one.kind === 'tree' && hasLeaf(one.node) ? [one] : []));
  const levels = holmLevels(
    tested.map(({ decision }) => Math.min(1, decision.agrees, decision.differs)),
    alpha,
  );
  const levelOf = new Map(tested.map(({ claim }, index) => [claim, levels[index]]));
  return judged.map((one) => resultOf(one, levelOf.get(one.claim) ?? alpha));
}

/** Returns the results of claims whose part has no runs. */
export function openClaims(claims: readonly Claim[], missing: string): ClaimResult[] {
  return claims.map((claim) => ({ ...about(claim), ...withoutRuns(claim, missing), lines: [] }));
}

function withoutRuns({ test }: Claim, missing: string): Pick<ClaimResult, 'answer' | 'sentence' | 'missing'> {
  if (test.kind === 'not testable')
    return { answer: 'not testable', sentence: sentenceOf(test.reason), missing: null };
  return { answer: 'open', sentence: sentenceOf(missing), missing };
}

function prepare(claim: Claim, evidence: PartEvidence): Judged {
  const { test } = claim;
  const reason = claim.needs?.(evidence) ?? null;
  if (reason !== null) return { claim, kind: 'not testable', reason };
  if (test.kind === 'not testable') return { claim, kind: 'not testable', reason: test.reason };
  if (test.kind === 'count') {
    const counts = test.of(evidence);
    if ('missing' in counts) return { claim, kind: 'counts', counts: [], missing: counts.missing };
    return 'reason' in counts
      ? { claim, kind: 'not testable', reason: counts.reason }
      : { claim, kind: 'counts', counts };
  }
  const node = nodeOf(test, evidence);
  if ('reason' in node) return { claim, kind: 'not testable', reason: node.reason };
  return { claim, kind: 'tree', node, decision: decide(node) };
}

function nodeOf(test: Test, evidence: PartEvidence): Node | { reason: string } {
  if (test.kind === 'not testable') return { reason: test.reason };
  if ('tests' in test) {
    const nodes: Node[] = [];
    for (const one of test.tests) {
      const node = nodeOf(one, evidence);
      if ('reason' in node) return node;
      nodes.push(node);
    }
    return { kind: test.kind, nodes };
  }
  if (test.kind === 'count') throw new TypeError('counts cannot be combined with intervals');
  const found = test.kind === 'contrast' ? contrastLines(test.contrast, evidence) : test.of(evidence);
  if ('reason' in found) return found;
  const kind = test.kind === 'contrast' ? (test.contrast.rule ?? 'every') : 'every';
  return { kind, nodes: found.map(leafOf) };
}

function leafOf(line: Line | MissingLine): Node {
  if ('missing' in line) return { kind: 'missing', line };
  if (!line.isExact)
    return { kind: 'leaf', line, ...(line.pValues ?? regionPValues(line.intervalAt, line.region)) };
  // Exact values need no test.
  const isClaimed = isInside({ lo: line.value, hi: line.value }, line.region);
  return { kind: 'leaf', line, inside: isClaimed ? 0 : 1, outside: isClaimed ? 1 : 0 };
}

function leavesOf(node: Node): Leaf[] {
  if (node.kind === 'leaf') return [node];
  return node.kind === 'missing' ? [] : node.nodes.flatMap(leavesOf);
}

function missingOf(node: Node): MissingLine[] {
  if (node.kind === 'missing') return [node.line];
  return node.kind === 'leaf' ? [] : node.nodes.flatMap(missingOf);
}

function hasLeaf(node: Node): boolean {
  return leavesOf(node).length > 0;
}

/** Removes nodes without comparisons, for which no level was run or nothing was measured. */
function membersOf({ nodes }: { nodes: readonly Node[] }): Node[] {
  return nodes.filter(
    (node) => node.kind === 'missing' || node.kind === 'leaf' || membersOf(node).length > 0,
  );
}

function decide(node: Node): Decision {
  if (node.kind === 'leaf') return { agrees: node.inside, differs: node.outside };
  if (node.kind === 'missing') return { agrees: 1, differs: 1 };
  const all = membersOf(node).map(decide);
  // Without a comparison, the claim remains open.
  const least = (values: readonly number[]) =>
    values.length === 0 ? 1 : Math.min(1, values.length * Math.min(...values));
  const most = (values: readonly number[]) => (values.length === 0 ? 1 : Math.max(...values));
  const [agrees, differs] = [all.map((one) => one.agrees), all.map((one) => one.differs)];
  return node.kind === 'every'
    ? { agrees: most(agrees), differs: least(differs) }
    : { agrees: least(agrees), differs: most(differs) };
}

function about({ id, part, says, line, see }: Claim) {
  return { id, part, says, line, see: [...see] };
}

function resultOf(judged: Judged, level: number): ClaimResult {
  const { claim } = judged;
  if (judged.kind === 'not testable') {
    return {
      ...about(claim),
      answer: 'not testable',
      sentence: sentenceOf(judged.reason),
      missing: null,
      lines: [],
    };
  }
  if (judged.kind === 'counts') return countResult(claim, judged.counts, judged.missing);
  const { node, decision } = judged;
  const leaves = leavesOf(node);
  const missing = missingOf(node);
  const answer: ClaimAnswer =
    decision.agrees < level ? 'agrees' : decision.differs < level ? 'differs' : 'open';
  const shown = linesOf(node, level);
  const why = missingWords(missing, leaves.length);
  return {
    ...about(claim),
    answer,
    sentence: withNote(
      [
        ...(leaves.length > 0 ? [treeSentence(shown, answer)] : []),
        ...(answer === 'open' && (why !== null || leaves.length === 0)
          ? [sentenceOf(why ?? 'the runs have none of the levels that the claim compares')]
          : []),
      ].join(' '),
      claim,
    ),
    missing: answer === 'open' ? (why ?? (leaves.length === 0 ? 'levels that it compares' : null)) : null,
    lines: [...shown, ...missing.map(missingLine)],
  };
}

/**
 * Returns lines with their intervals. If one of several comparisons is enough, the level is divided by their
 * number.
 */
function linesOf(node: Node, level: number): ClaimLine[] {
  if (node.kind === 'missing') return [];
  if (node.kind === 'leaf') return [claimLine(node, level)];
  const members = membersOf(node);
  return members.flatMap((one) => {
    const isDecisive =
      node.kind === 'every'
        ? decide(one).differs < decide(one).agrees
        : decide(one).agrees < decide(one).differs;
    return linesOf(one, isDecisive ? level / members.length : level);
  });
}

function claimLine({ line }: Leaf, level: number): ClaimLine {
  const { label, unit, scale, value, runs, isExact, region } = line;
  const interval = isExact ? { lo: value, hi: value } : line.intervalAt(1 - level);
  const isClaimed = isInside(interval, region);
  const isOther = isExact ? !isClaimed : isOutside(interval, region);
  const { lo, hi } = isExact ? { lo: null, hi: null } : interval;
  return {
    label,
    figure: figureText({ scale, unit, value, lo, hi }),
    value,
    lo: finite(lo),
    hi: finite(hi),
    unit,
    scale,
    claimed: regionText(region, { scale, unit }),
    side: isClaimed ? 'claimed' : isOther ? 'other' : 'undecided',
    runs,
  };
}

function finite(bound: number | null): number | null {
  return bound === null || !Number.isFinite(bound) ? null : bound;
}

function figureText({
  scale,
  unit,
  value,
  lo,
  hi,
}: Pick<ClaimLine, 'scale' | 'unit' | 'value' | 'lo' | 'hi'>): string {
  if (scale === 'ratio') return ratioText({ value, lo, hi });
  const bound = (one: number | null) => one ?? undefined;
  return formatInterval(
    { value: value ?? Number.NaN, lo: bound(lo), hi: bound(hi) },
    {
      unit: scale === 'difference' && unit === '%' ? 'percentage points' : unit,
      signed: scale === 'difference',
    },
  ).text;
}

/** Describes a region: "more than +5 %", "less than 500 ms", "−5 to +5 %". */
function regionText({ from, to }: Region, { scale, unit }: Pick<ClaimLine, 'scale' | 'unit'>): string {
  const bound = (value: number) =>
    scale === 'ratio' ? ratioText({ value, lo: null, hi: null }) : `${formatNumber(value)} ${unit}`.trim();
  const equal = scale === 'ratio' ? 1 : 0;
  if (to === Number.POSITIVE_INFINITY)
    return from === equal && scale !== 'value' ? 'more' : `more than ${bound(from)}`;
  if (!Number.isFinite(from) || (scale === 'value' && from === 0)) {
    return to === equal && scale !== 'value' ? 'less' : `less than ${bound(to)}`;
  }
  return `${bound(from)} to ${bound(to)}`;
}

function missingLine({ label, runs, missing }: MissingLine): ClaimLine {
  return {
    label,
    figure: missing,
    value: null,
    lo: null,
    hi: null,
    unit: '',
    scale: 'value',
    claimed: '',
    side: 'missing',
    runs,
  };
}

function missingWords(missing: readonly MissingLine[], others: number): string | null {
  const [first] = missing;
  if (!first) return null;
  if (others === 0 && missing.length === 1) return `${first.label}: ${first.missing}`;
  return `${plural(missing.length, 'comparison')} of ${missing.length + others}: ${first.missing}`;
}

const inFull = 3;

/**
 * Describes up to three comparisons in full. For more, describes the deciding comparison and the number on
 * each side.
 */
function treeSentence(all: readonly ClaimLine[], answer: ClaimAnswer): string {
  const describe = (line: ClaimLine) => `${line.label}: ${line.figure}`;
  const least = Math.min(...all.map(({ runs }) => runs));
  const basis = `${least === 0 ? '' : ` (n = ${least}${all.some(({ runs }) => runs !== least) ? ' or more' : ''})`}`;
  if (all.length <= inFull) return `${capitalise(all.map(describe).join('; '))}${basis}.`;
  const claimed = all.filter(({ side }) => side === 'claimed').length;
  const others = all.filter(({ side }) => side === 'other');
  const lead =
    answer === 'agrees'
      ? all.find(({ side }) => side === 'claimed')
      : (others[0] ?? all.find(({ side }) => side === 'undecided'));
  const sides = [
    `${claimed} of ${all.length} comparisons ${claimed === 1 ? 'is' : 'are'} on the claimed side`,
    ...(others.length > 0 ? [`${others.length} on the other`] : []),
  ].join(', ');
  return `${sides}${basis}${lead ? `; ${describe(lead)}` : ''}.`;
}

function countResult(claim: Claim, counts: readonly Count[], why?: string): ClaimResult {
  const of = counts.reduce((sum, one) => sum + one.of, 0);
  const right = counts.reduce((sum, one) => sum + one.right, 0);
  const none = counts.find((one) => one.of === 0);
  const isEnough = of >= minRuns && !none;
  const lack = none && of >= minRuns ? `${none.label}: none was measured` : null;
  const missing = isEnough
    ? null
    : (why ?? lack ?? `${plural(of, 'run')} in total, but at least ${minRuns} are needed`);
  const texts = counts.map(
    ({ label, right: own, of: all, detail }) => `${label}: ${own} of ${all}${detail ? ` (${detail})` : ''}`,
  );
  return {
    ...about(claim),
    answer: !isEnough ? 'open' : right === of ? 'agrees' : 'differs',
    sentence: withNote(isEnough ? `${capitalise(texts.join('; '))}.` : sentenceOf(missing ?? ''), claim),
    missing,
    lines: counts.map((one) => ({
      label: one.label,
      figure: `${one.right} of ${one.of}${one.detail ? ` (${one.detail})` : ''}`,
      value: one.right,
      lo: null,
      hi: null,
      unit: '',
      scale: 'count',
      claimed: `${one.of} of ${one.of}`,
      side: one.of === 0 ? 'missing' : one.right === one.of ? 'claimed' : 'other',
      runs: one.of,
    })),
  };
}

function withNote(sentence: string, { note }: Claim): string {
  return note === undefined ? sentence : `${sentence} ${note}`;
}

function sentenceOf(words: string): string {
  return words === '' ? '' : `${capitalise(words)}${/[.!?]$/.test(words) ? '' : '.'}`;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
