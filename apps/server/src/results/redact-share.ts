import { entryOf } from '@mqttlab/shared/domain/bounds';
import { isAddress } from '@mqttlab/shared/domain/devices/network-address';
import type { SharedContent } from '@mqttlab/shared/messages/shares';

type Content = SharedContent['content'];

const hidden = '(not shown)';

/** The public facts of a device: its hardware and software versions. */
const publicFact =
  /^((agent|node|broker)\.version|node\.tlsLibrary|device\.(os|kernel|architecture|memoryBytes)|cpu\..+|kernel|governor|throttl.*|clock\..+|time\..+|energy\..+|broker\.(kind|tlsLibrary)|client\.engine)$/;

/** Texts written by users, which they intend to share. */
const authored = new Set(['name', 'question', 'notes', 'tags', 'title', 'experimentName']);

/** Replacements for required values, by field name. */
const replaced: Readonly<Record<string, (value: unknown) => unknown>> = {
  log: (value) => (Array.isArray(value) ? [] : value),
  localPorts: () => [],
  files: () => [],
  clientPort: () => 0,
  payloadSample: () => null,
  // User names are private too.
  startedBy: () => null,
  by: () => undefined,
  localAddress: () => '',
  remoteAddress: () => '',
  localPort: () => 0,
  remotePort: () => 0,
  networkStack: () => '',
  environment: (value) =>
    Object.fromEntries(Object.entries(value as object).filter(([key]) => publicFact.test(key))),
};

/**
 * Returns the public content of a link: figures, design, negotiated facts and versions. Addresses, ports, processes,
 * paths, boot ids and logs are removed, because they help to attack a laboratory. Pure.
 */
export function redactShare(content: Content): Content {
  return redact('', content) as Content;
}

function redact(key: string, value: unknown): unknown {
  if (typeof value === 'string') return authored.has(key) ? value : redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    // Series are long and contain only numbers.
    const isPlain = authored.has(key) || typeof value[0] === 'number';
    return isPlain ? value : value.map((item) => redact(key, item));
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const replacement = entryOf(replaced, name);
      return [name, redact(name, replacement ? replacement(item) : item)];
    }),
  );
}

const patterns: readonly RegExp[] = [
  /\b(?:https?|mqtts?|wss?|tcp|coap):\/\/[^\s,;)"]+/gi,
  // UUIDs: boot ids.
  /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi,
  // Hardware addresses.
  /\b(?:[\da-f]{2}:){5}[\da-f]{2}\b/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g,
  /(?<![\w.-])(?:localhost|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})(?::\d{2,5})\b/gi,
  // Absolute paths: below the usual roots, or of at least two parts.
  /(?<![\w./:])\/(?:(?:bin|dev|etc|home|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var)\b[^\s,;:)"']*|[\w.@+~-]+(?:\/[\w.@+~-]+)+\/?)/g,
];
const numbered = /\b(pids?|process(?:es)?|ports?)(\s+|:\s*|=)\d+(?:(?:,\s*|\s+and\s+)\d+)*/gi;

/** Removes addresses, ports, processes, paths and boot ids from a text and keeps the rest. Pure. */
export function redactText(text: string): string {
  const without = patterns.reduce((words, pattern) => words.replace(pattern, hidden), text);
  return without
    .replace(/\[?[\da-f]*(?::[\da-f]*){2,}(?:%\w+)?\]?(?::\d{1,5})?/gi, (found) =>
      isIpv6(found) ? hidden : found,
    )
    .replace(numbered, (_found, what: string, between: string) => `${what}${between}${hidden}`);
}

/** With or without brackets and port; a time of day does not match. */
function isIpv6(text: string): boolean {
  const inBrackets = /^\[([^\]]+)\]/.exec(text)?.[1];
  return isAddress(inBrackets ?? text);
}
