import { MqttProtocolError } from './mqtt-protocol-error.ts';

/** Reads a variable byte integer (MQTT 5 section 1.5.5); -1 when it does not end before `end`. */
export function readVariableInteger(bytes: Uint8Array, at: number, end: number): number {
  let value = 0;
  for (let i = 0; i < 4; i += 1) {
    if (at + i >= end) return -1;
    const byte = bytes[at + i]!;
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) return value;
  }
  throw new MqttProtocolError('a length of more than four bytes');
}

/** How many bytes a variable byte integer takes. */
export function variableIntegerBytes(value: number): number {
  if (value < 128) return 1;
  if (value < 16_384) return 2;
  return value < 2_097_152 ? 3 : 4;
}

/** Appends a variable byte integer; returns where the next byte goes. */
export function writeVariableInteger(bytes: Uint8Array, at: number, value: number): number {
  let rest = value;
  let next = at;
  do {
    const digit = rest & 0x7f;
    rest >>>= 7;
    bytes[next] = rest > 0 ? digit | 0x80 : digit;
    next += 1;
  } while (rest > 0);
  return next;
}
