import { IconAlertCircle } from '@tabler/icons-react';
import { type ReactElement, type ReactNode, useId } from 'react';
import styles from './field.module.css';

/** What is wrong with a value and how to mend it; both from the server's problem document or the planner. */
export type FieldProblem = { what: string; remedy: string };

export type FieldControl = { id: string; 'aria-describedby': string | undefined; error: boolean };

export type FieldProps = {
  label: string;
  /** Unit in the label: "Rate, msg/s". */
  unit?: string;
  /** One dimmed line under the label. */
  hint?: ReactNode;
  problem?: FieldProblem | undefined;
  /** Draws the control with the given props: `{(control) => <TextInput {...control} />}`. */
  children: (control: FieldControl) => ReactNode;
};

/** Label, control, and under it the error with its remedy. */
export function Field({ label, unit, hint, problem, children }: FieldProps): ReactElement {
  const id = useId();
  const hintId = `${id}-hint`;
  const problemId = `${id}-problem`;
  const describedBy = [hint ? hintId : '', problem ? problemId : ''].filter(Boolean).join(' ') || undefined;
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
        {unit && <span className={styles.unit}>, {unit}</span>}
      </label>
      {hint && (
        <span id={hintId} className={styles.hint}>
          {hint}
        </span>
      )}
      {children({ id, 'aria-describedby': describedBy, error: problem !== undefined })}
      {problem && <FieldProblemLine id={problemId} problem={problem} />}
    </div>
  );
}

type FieldProblemLineProps = { id?: string; problem: FieldProblem };

/** The error on its own, for controls that are not a single input. */
export function FieldProblemLine({ id, problem }: FieldProblemLineProps): ReactElement {
  return (
    <p id={id} className={styles.problem}>
      <IconAlertCircle size={14} stroke={2.2} aria-hidden />
      <span>
        <b>{problem.what}</b> {problem.remedy}
      </span>
    </p>
  );
}

export type FieldRowProps = {
  label: string;
  /** Dimmed under the label: "4 of 17 levels". */
  note?: ReactNode;
  problem?: FieldProblem | undefined;
  children: ReactNode;
};

/** A row of a form panel: name and note at the left, controls at the right. */
export function FieldRow({ label, note, problem, children }: FieldRowProps): ReactElement {
  return (
    <div className={styles.row}>
      <div className={styles.rowLabel}>
        <b>{label}</b>
        {note && <span>{note}</span>}
      </div>
      <div className={styles.rowBody}>
        {children}
        {problem && <FieldProblemLine problem={problem} />}
      </div>
    </div>
  );
}
