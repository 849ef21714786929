/** A label inside a sentence: its first word in small letters, unless it is an abbreviation ("CPU", "QoS", "P99"). */
export function inSentence(label: string): string {
  return /^[A-Z][a-z]*(?![\w])/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}
