import { TextInput, type TextInputProps } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { type ReactElement, type ReactNode, type Ref, useId } from 'react';
import styles from './field.module.css';

/** What is wrong with a value and how to correct it; both from the server's problem document or the planner. */
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

/** The error on its own, for controls that are not a single input. */
export function FieldProblemLine({ id, problem }: { id?: string; problem: FieldProblem }): ReactElement {
  return (
    <p id={id} className={styles.problem}>
      <IconAlertCircle size={14} stroke={2.2} aria-hidden />
      <span>
        <b>{problem.what}</b> {problem.remedy}
      </span>
    </p>
  );
}

type FieldRowProps = {
  label: string;
  /** Dimmed under the label: "4 of 17 levels". */
  note?: ReactNode;
  problem?: FieldProblem | undefined;
  ref?: Ref<HTMLDivElement>;
  children: ReactNode;
};

/** A row of a form panel: name and note at the left, controls at the right. */
export function FieldRow({ label, note, problem, ref, children }: FieldRowProps): ReactElement {
  return (
    <div className={styles.row} ref={ref}>
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

/** A line of text in a form: its name there, what stands at it, and how it is typed. */
export type TextSpec<Name extends string> = Pick<FieldProps, 'label' | 'unit' | 'hint'> &
  Pick<TextInputProps, 'placeholder' | 'inputMode' | 'required' | 'type'> & { name: Name };

type TextFieldsProps<Name extends string> = {
  of: readonly TextSpec<Name>[];
  form: Readonly<Record<Name, string>>;
  problems?: { readonly [field in Name]?: FieldProblem | undefined };
  /** The one that has the focus when its dialog opens. */
  first?: Name;
  onChange: (change: Partial<Record<Name, string>>) => void;
};

/** Lines of text of one form, none of which the browser completes or corrects. */
export function TextFields<Name extends string>(props: TextFieldsProps<Name>): ReactNode {
  const { of, form, problems, first, onChange } = props;
  return of.map(({ name, label, unit, hint, ...input }) => (
    <Field key={name} label={label} {...(unit ? { unit } : {})} hint={hint} problem={problems?.[name]}>
      {(control) => (
        <TextInput
          {...control}
          {...input}
          autoComplete="off"
          spellCheck={false}
          data-autofocus={name === first || undefined}
          value={form[name]}
          onChange={(event) =>
            onChange({ [name]: event.currentTarget.value } as Partial<Record<Name, string>>)
          }
        />
      )}
    </Field>
  ));
}

type Refusal = { problem: { issues: readonly { field: string; reason: string; remedy: string }[] } };

/** What the server said about one field; undefined where nothing. */
export function fieldProblemOf(error: Refusal | null, field: string): FieldProblem | undefined {
  const issue = error?.problem.issues.find((one) => one.field === field);
  if (!issue) return undefined;
  const { reason, remedy } = issue;
  return { what: `${reason.charAt(0).toUpperCase()}${reason.slice(1).replace(/\.$/, '')}.`, remedy };
}
