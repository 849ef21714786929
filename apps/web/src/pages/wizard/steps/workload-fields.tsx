import type { Issue } from '@mqttlab/shared/domain/issue';
import type { Workload } from '@mqttlab/shared/domain/plans/experiment-draft';
import { abuseLimits } from '@mqttlab/shared/domain/plans/trial-spec';
import { formatCount } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import { NumberField } from '../../../ui/input/number-field.tsx';
import { issueOfField } from '../model/steps.ts';
import { lookOf, type WorkloadField } from '../model/workload-kinds.ts';
import styles from './workload-step.module.css';

interface FieldLook {
  label: string;
  unit: string;
  hint: string;
  /** Of the draft's unit in the one shown. */
  scale?: number;
  min: number;
}

const seconds = { unit: 's', scale: 1000 } as const;

const looks: Readonly<Record<WorkloadField, FieldLook>> = {
  connections: {
    label: 'Connections',
    unit: 'in one run',
    hint: 'Opened and closed one after the other. 200 allow a P95, 1,000 a P99.',
    min: 1,
  },
  messages: {
    label: 'Messages',
    unit: 'of each publisher',
    hint: 'Measured messages after which the load ends; 0: it ends after the measure time. 1,000 allow a P99.',
    min: 0,
  },
  abusers: {
    label: 'Abuser, at most',
    unit: 'connections or sessions',
    hint: `Opened once each, at most ${formatCount(abuseLimits.connections)}. Mosquitto's default limit is about 1,000.`,
    min: 1,
  },
  queuedMessages: {
    label: 'Messages left',
    unit: 'in each session',
    hint: `Of the reading size, at QoS 1; at most ${formatCount(abuseLimits.messages)}. Only persistent sessions have them.`,
    min: 1,
  },
  abuseMemoryBytes: {
    label: 'Broker memory, at most',
    unit: 'MiB',
    scale: 1024 * 1024,
    hint: `A run whose broker uses more is stopped at once; at most ${abuseLimits.memoryBytes / 1024 ** 2} MiB.`,
    min: 16,
  },
  burstOnMs: {
    label: 'Burst',
    ...seconds,
    hint: 'Length of each burst, at the rate of the factor “Rate”.',
    min: 0.001,
  },
  burstOffMs: { label: 'Pause', ...seconds, hint: 'Time without load after each burst.', min: 0 },
  warmUpMs: {
    label: 'Warm-up',
    ...seconds,
    hint: 'Load before measuring, so that caches, congestion windows and clocks of the processor settle.',
    min: 0,
  },
  measureMs: {
    label: 'Measure',
    ...seconds,
    hint: 'Only messages that were due in this time count.',
    min: 0.1,
  },
  drainTimeoutMs: {
    label: 'Drain, at most',
    ...seconds,
    hint: 'Time to wait for messages in transit. Ends as soon as all have arrived; missing messages count as lost.',
    min: 0.1,
  },
  window: {
    label: 'Window',
    unit: 'messages',
    hint: 'Most messages in flight for each publisher at QoS 1 and 2. A small window limits the rate.',
    min: 1,
  },
};

const timeLimit = {
  label: 'Time limit',
  hint: 'It ends once all connections were made, at the latest after this time.',
};

/** What a field is called where it means something else than usual. */
function namesFor({ kind, messages }: Workload, field: WorkloadField): Partial<FieldLook> {
  if (lookOf(kind).isCounted) return field === 'measureMs' ? timeLimit : {};
  if (kind === 'stream' && messages !== null && field === 'measureMs') {
    return { label: 'Time limit', hint: 'It ends with the last message, at the latest after this time.' };
  }
  if (kind !== 'availability') return {};
  if (field === 'warmUpMs') {
    return { label: 'Undisturbed', hint: 'The client connects before the broker is abused.' };
  }
  return field === 'measureMs'
    ? {
        label: 'Under abuse',
        hint: `At most ${abuseLimits.measureMs / 1000} s. Silent connections are ended after 15 s at the soonest.`,
      }
    : {};
}

type WorkloadFieldsProps = {
  workload: Workload;
  issues: readonly Issue[];
  onChange: (part: Partial<Workload>) => void;
};

/** The numbers that mean something for the chosen kind. */
export function WorkloadFields({ workload, issues, onChange }: WorkloadFieldsProps): ReactElement {
  const { fields } = lookOf(workload.kind);
  return (
    <div className={styles.fields}>
      {fields.map((field) => (
        <NumberField
          key={field}
          {...looks[field]}
          {...namesFor(workload, field)}
          // No count is shown as 0.
          value={workload[field] ?? 0}
          problem={issueOfField(issues, `workload.${field}`)}
          onChange={(value) => onChange({ [field]: field === 'messages' && value === 0 ? null : value })}
        />
      ))}
    </div>
  );
}
