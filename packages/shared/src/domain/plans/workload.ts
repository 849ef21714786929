import * as z from 'zod';
import { formatCount } from '../../format/number.ts';
import { measure, rangeWords } from '../bounds.ts';
import { abuseLimits } from './trial-levels.ts';

/**
 * stream: messages on a schedule. burst: a stream that is switched on and off. reconnect: a connection for
 * each message. handshake: connections opened and closed in sequence. states: bytes needed to reach each
 * state of a connection. availability: whether a client can connect while another client abuses the broker's
 * sessions.
 */
export const workloadKinds = ['stream', 'burst', 'reconnect', 'handshake', 'states', 'availability'] as const;

export type WorkloadKind = (typeof workloadKinds)[number];

const bytesPerMib = 1024 * 1024;

/** A number in a workload; planning, plan files, checks and wizard all read this definition. */
export interface WorkloadField {
  /** Name in handwritten plan files, in which values include their unit: "10s". */
  written: string;
  /** Unit of the stored number; null for counts. */
  unit: 'ms' | 'B' | null;
  /** Kinds of workload whose plan files can contain the field. */
  kinds: readonly WorkloadKind[];
  /** Kinds of workload for which the wizard shows the field; all of `kinds` by default. */
  shownFor?: readonly WorkloadKind[];
  least: number;
  most: number;
  /** Value for drafts and specifications that omit the field; null for a nullable field. */
  initial?: number | null;
  /** Description in the JSON Schema of plans. */
  description: string;
  /** Remedy for a number outside the range. */
  remedy: string;
  /** In the wizard. */
  label: string;
  hint: string;
  /** Unit in the wizard, and its size in stored units. */
  shownUnit: string;
  scale?: number;
  /** Whether the field is shown before the fields that every kind has. */
  isFirst?: true;
}

const seconds = { unit: 'ms', shownUnit: 's', scale: 1000 } as const;
const messages: readonly WorkloadKind[] = ['stream', 'burst', 'reconnect'];
const counted: readonly WorkloadKind[] = ['handshake', 'states'];
const choose = (least: number, most: number, noun: string) => `Choose ${rangeWords(least, most)} ${noun}.`;

/**
 * All numbers in a workload. A new number also needs code that reads it from the specification of a trial.
 */
export const workloadFields = {
  warmUpMs: {
    ...seconds,
    written: 'warmUp',
    kinds: workloadKinds,
    shownFor: ['stream', 'burst', 'reconnect', 'handshake', 'availability'],
    least: 0,
    most: 3_600_000,
    description: 'ms of load before measuring',
    remedy: choose(0, 3_600_000, 'ms'),
    label: 'Warm-up',
    hint: 'Load before measuring, so that caches, congestion windows and processor clocks reach a steady state.',
  },
  measureMs: {
    ...seconds,
    written: 'measure',
    kinds: workloadKinds,
    least: 100,
    most: 24 * 3_600_000,
    description: 'ms of measured load',
    remedy: 'Choose 100 ms to 24 h.',
    label: 'Measure',
    hint: 'Only messages that were due in this time count.',
  },
  drainTimeoutMs: {
    ...seconds,
    written: 'drainTimeout',
    kinds: workloadKinds,
    shownFor: messages,
    least: 100,
    most: 600_000,
    description: 'ms to wait for messages in transit',
    remedy: choose(100, 600_000, 'ms'),
    label: 'Drain, at most',
    hint: 'Time to wait for messages in transit. Ends as soon as all messages have arrived; missing messages count as lost.',
  },
  window: {
    written: 'window',
    unit: null,
    kinds: messages,
    shownFor: ['stream', 'burst'],
    least: 1,
    most: 65_535,
    description: 'messages in flight for each publisher',
    remedy: choose(1, 65_535, 'messages'),
    label: 'Window',
    shownUnit: 'messages',
    hint: 'Maximum messages in flight for each publisher at QoS 1 and 2. A small window limits the rate.',
  },
  messages: {
    written: 'messages',
    unit: null,
    kinds: ['stream'],
    least: 1,
    most: 10_000_000,
    initial: null,
    description: 'measured messages per publisher after which a stream ends; null: ends after measureMs',
    remedy: choose(1, 10_000_000, 'messages; omit to measure for a fixed duration'),
    label: 'Messages',
    shownUnit: 'per publisher',
    hint: 'Measured messages after which the load ends; with 0, it ends after the measure time. A P99 needs 1,000 messages.',
  },
  burstOnMs: {
    ...seconds,
    written: 'burstOn',
    kinds: ['burst'],
    least: 1,
    most: 3_600_000,
    initial: 1000,
    description: 'ms of load in each burst',
    remedy: choose(1, 3_600_000, 'ms'),
    label: 'Burst',
    hint: 'Length of each burst, at the rate of the factor “Rate”.',
    isFirst: true,
  },
  burstOffMs: {
    ...seconds,
    written: 'burstOff',
    kinds: ['burst'],
    least: 0,
    most: 3_600_000,
    initial: 1000,
    description: 'ms without load between bursts',
    remedy: choose(0, 3_600_000, 'ms'),
    label: 'Pause',
    hint: 'Time without load after each burst.',
    isFirst: true,
  },
  connections: {
    written: 'connections',
    unit: null,
    kinds: counted,
    least: 1,
    most: 100_000,
    initial: 100,
    description: 'connections in a handshake or states workload',
    remedy: choose(1, 100_000, 'connections'),
    label: 'Connections',
    shownUnit: 'in one run',
    hint: 'Opened and closed one after the other. A P95 needs 200 connections, a P99 1,000.',
    isFirst: true,
  },
  abusers: {
    written: 'abusers',
    unit: null,
    kinds: ['availability'],
    least: 1,
    most: abuseLimits.connections,
    initial: 200,
    description: 'connections or sessions of the abuser (availability)',
    remedy: choose(1, abuseLimits.connections, 'connections or sessions'),
    label: 'Abuser, at most',
    shownUnit: 'connections or sessions',
    hint: `Each is opened once; at most ${formatCount(abuseLimits.connections)}. Mosquitto's default limit is about 1,000.`,
    isFirst: true,
  },
  queuedMessages: {
    written: 'queuedMessages',
    unit: null,
    kinds: ['availability'],
    least: 1,
    most: abuseLimits.messages,
    initial: 20,
    description: 'messages queued in each session (availability)',
    remedy: choose(1, abuseLimits.messages, 'messages for each session'),
    label: 'Messages left',
    shownUnit: 'in each session',
    hint: `Each has the reading size and QoS 1; at most ${abuseLimits.messages}. Only persistent sessions have messages.`,
    isFirst: true,
  },
  abuseMemoryBytes: {
    written: 'abuseMemory',
    unit: 'B',
    kinds: ['availability'],
    least: 16 * bytesPerMib,
    most: abuseLimits.memoryBytes,
    initial: 256 * bytesPerMib,
    description: 'resident memory of the broker at which an availability run ends',
    remedy: choose(16, abuseLimits.memoryBytes / bytesPerMib, 'MiB'),
    label: 'Broker memory, at most',
    shownUnit: 'MiB',
    scale: bytesPerMib,
    hint: `A run whose broker uses more is stopped immediately; at most ${abuseLimits.memoryBytes / bytesPerMib} MiB.`,
    isFirst: true,
  },
} as const satisfies Readonly<Record<string, WorkloadField>>;

type Fields = typeof workloadFields;
export type WorkloadFieldName = keyof Fields;
type FieldWithInitial = {
  [Name in WorkloadFieldName]: Fields[Name] extends { initial: number | null } ? Name : never;
}[WorkloadFieldName];

type NumberSchema<Name extends WorkloadFieldName> = Fields[Name] extends { initial: null }
  ? z.ZodNullable<z.ZodNumber>
  : z.ZodNumber;
type Shape = { [Name in WorkloadFieldName]: NumberSchema<Name> };
type ShapeWithDefaults = {
  [Name in WorkloadFieldName]: Name extends FieldWithInitial
    ? z.ZodDefault<NumberSchema<Name>>
    : NumberSchema<Name>;
};

export const workloadFieldList: readonly [WorkloadFieldName, WorkloadField][] = Object.entries(
  workloadFields,
) as [WorkloadFieldName, WorkloadField][];

function shapeOf(schemaOf: (field: WorkloadField) => z.ZodType): Record<string, z.ZodType> {
  return Object.fromEntries(
    workloadFieldList.map(([name, field]) => {
      const schema = schemaOf(field);
      return [name, field.initial === null ? schema.nullable() : schema];
    }),
  );
}

function withDefaults(shape: Record<string, z.ZodType>): ShapeWithDefaults {
  const entries = workloadFieldList.map(([name, { initial, description }]) => {
    const schema = shape[name] ?? measure;
    return [name, (initial === undefined ? schema : schema.default(initial)).describe(description)];
  });
  return Object.fromEntries(entries);
}

/** Numbers that are within the ranges of their fields. */
export const workloadRanges = shapeOf(({ least, most }) => z.int().min(least).max(most)) as Shape;

/** Numbers in the specification of a trial. */
export const workloadSpecShape = withDefaults(workloadRanges);

/** Numbers in a draft, which may be outside their ranges until the plan is parsed. */
export const workloadDraftShape = withDefaults(shapeOf(() => measure));

/** Values of the fields that only some kinds of workload read. */
export const workloadDefaults = Object.fromEntries(
  workloadFieldList.flatMap(([name, { initial }]) => (initial === undefined ? [] : [[name, initial]])),
) as { [Name in FieldWithInitial]: Fields[Name]['initial'] extends null ? null : number };

/** Returns the fields in plan files of a kind. */
export const writtenFieldsOf = (kind: WorkloadKind): [WorkloadFieldName, WorkloadField][] =>
  workloadFieldList.filter(([, { kinds }]) => kinds.includes(kind));

/** Returns the fields shown in the wizard, in display order. */
export function shownFieldsOf(kind: WorkloadKind): [WorkloadFieldName, WorkloadField][] {
  const shown = workloadFieldList.filter(([, { kinds, shownFor = kinds }]) => shownFor.includes(kind));
  return [...shown.filter(([, { isFirst }]) => isFirst), ...shown.filter(([, { isFirst }]) => !isFirst)];
}
