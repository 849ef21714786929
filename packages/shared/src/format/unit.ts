/** Scaling for a unit: `base` accepts SI prefixes, and the unit is `factor` times the base. */
type UnitScale = { base: string; factor: number };

const UNITS: Readonly<Record<string, UnitScale>> = {
  ns: { base: 's', factor: 1e-9 },
  us: { base: 's', factor: 1e-6 },
  '\u00b5s': { base: 's', factor: 1e-6 },
  ms: { base: 's', factor: 1e-3 },
  s: { base: 's', factor: 1 },
  B: { base: 'B', factor: 1 },
  bytes: { base: 'B', factor: 1 },
  kB: { base: 'B', factor: 1e3 },
  MB: { base: 'B', factor: 1e6 },
  'B/s': { base: 'B/s', factor: 1 },
  'kB/s': { base: 'B/s', factor: 1e3 },
  'bit/s': { base: 'bit/s', factor: 1 },
  'Mbit/s': { base: 'bit/s', factor: 1e6 },
  uJ: { base: 'J', factor: 1e-6 },
  '\u00b5J': { base: 'J', factor: 1e-6 },
  mJ: { base: 'J', factor: 1e-3 },
  J: { base: 'J', factor: 1 },
  mW: { base: 'W', factor: 1e-3 },
  W: { base: 'W', factor: 1 },
  mA: { base: 'A', factor: 1e-3 },
  A: { base: 'A', factor: 1 },
  mAh: { base: 'Ah', factor: 1e-3 },
  Ah: { base: 'Ah', factor: 1 },
  V: { base: 'V', factor: 1 },
  Hz: { base: 'Hz', factor: 1 },
  MHz: { base: 'Hz', factor: 1e6 },
  'msg/s': { base: 'msg/s', factor: 1 },
  'readings/s': { base: 'readings/s', factor: 1 },
  '1/s': { base: '1/s', factor: 1 },
};

const NO_PREFIX = { symbol: '', factor: 1 };
const PREFIXES = [
  { symbol: 'n', factor: 1e-9 },
  { symbol: '\u00b5', factor: 1e-6 },
  { symbol: 'm', factor: 1e-3 },
  NO_PREFIX,
  { symbol: 'k', factor: 1e3 },
  { symbol: 'M', factor: 1e6 },
  { symbol: 'G', factor: 1e9 },
  { symbol: 'T', factor: 1e12 },
] as const;

/** Units with a space after the prefix, which would otherwise read as part of the word: "21.9 k msg/s". */
const SPACED = new Set(['msg/s', 'readings/s', '1/s']);
/** Units without prefixes below one: there is no "mB" or "mmsg/s". */
const NO_SMALL_PREFIX = new Set(['B', 'B/s', 'bit/s', 'msg/s', 'readings/s', '1/s', 'Hz']);

export type DisplayUnit = {
  /** Factor by which a value in the given unit is multiplied. */
  multiplier: number;
  /** The unit to append; empty for plain numbers. */
  unit: string;
};

/**
 * Returns the unit in which `value` is between 1 and 1000, if SI prefixes allow it. Pass the largest value in
 * a column or axis, so that all its values share one unit. Unknown units ("%", "°C", "messages") are
 * unchanged.
 */
export function displayUnit(value: number, unit: string): DisplayUnit {
  const scale = UNITS[unit];
  if (!scale) return { multiplier: 1, unit };
  const base = Math.abs(value) * scale.factor;
  const allowed = NO_SMALL_PREFIX.has(scale.base) ? PREFIXES.slice(3) : PREFIXES;
  const upTo = scale.base === 's' ? allowed.filter((prefix) => prefix.factor <= 1) : allowed;
  const chosen =
    base === 0 || !Number.isFinite(base)
      ? (upTo.find((prefix) => Math.abs(prefix.factor / scale.factor - 1) < 1e-9) ?? NO_PREFIX)
      : (upTo.findLast((prefix) => base >= prefix.factor * 0.9995) ?? upTo[0] ?? NO_PREFIX);
  const space = SPACED.has(scale.base) && chosen.symbol ? ' ' : '';
  return { multiplier: scale.factor / chosen.factor, unit: `${chosen.symbol}${space}${scale.base}` };
}

/** Capitalises words for the start of a sentence. */
export function startSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Formats a label for use inside a sentence, with the first word in lower case unless it is an abbreviation
 * ("CPU", "QoS", "P99").
 */
export function inSentence(label: string): string {
  return /^[A-Z][a-z]*(?![\w])/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}
