import { TextInput, type TextInputProps } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { IconAlertCircle } from '@tabler/icons-react';
import { type ReactElement, type ReactNode, type Ref, useEffect, useId } from 'react';
import styles from './field.module.css';

/** Problem with a value and its remedy, from the server's problem document or the planner. */
export type FieldProblem = { what: string; remedy: string };

/** A problem as stored by a form, already rendered. */
type ShownProblem = FieldProblem | ReactElement | undefined;

export type FieldControl = { id: string; error: boolean };

export type FieldProps = {
  label: string;
  /** Unit in the label: "Rate, msg/s". */
  unit?: string;
  /** One dimmed line under the label. */
  hint?: ReactNode;
  problem?: ShownProblem;
  /** Renders the control with the given props: `{(control) => <TextInput {...control} />}`. */
  children: (control: FieldControl) => ReactNode;
};

/** Label and control, with the error and its remedy below. */
export function Field({ label, unit, hint, problem, children }: FieldProps): ReactElement {
  const id = useId();
  const hintId = `${id}-hint`;
  const problemId = `${id}-problem`;
  const describedBy = [hint ? hintId : '', problem ? problemId : ''].filter(Boolean).join(' ');
  // Mantine's inputs accept no aria-describedby and refer only to their own description and error.
  useEffect(() => {
    const input = document.getElementById(id);
    if (describedBy) input?.setAttribute('aria-describedby', describedBy);
    else input?.removeAttribute('aria-describedby');
  }, [id, describedBy]);
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
      {children({ id, error: problem !== undefined })}
      {problem && <FieldProblemLine id={problemId} problem={problem} />}
    </div>
  );
}

type FieldProblemLineProps = { id?: string; problem: NonNullable<ShownProblem> };

/** The error alone, for controls that are not a single input. */
export function FieldProblemLine({ id, problem }: FieldProblemLineProps): ReactElement {
  return (
    <p id={id} className={styles.problem}>
      <IconAlertCircle size={14} stroke={2.2} aria-hidden />
      {'what' in problem ? (
        <span>
          <b>{problem.what}</b> {problem.remedy}
        </span>
      ) : (
        problem
      )}
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

/** A row of a form panel: name and note on the left, controls on the right. */
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

/** A text field of a form: field name, label and input options. */
export type TextSpec<Name extends string> = Pick<FieldProps, 'label' | 'unit' | 'hint'> &
  Pick<TextInputProps, 'placeholder' | 'inputMode' | 'required' | 'type' | 'step' | 'maxLength'> & {
    name: Name;
  };

type TextFieldsProps<Name extends string> = {
  of: readonly TextSpec<Name>[];
  form: { getInputProps: (name: Name) => GetInputPropsReturnType };
  /** Field with the initial focus. */
  first?: Name;
};

/** Text fields of a form, without autocomplete and autocorrect. */
export function TextFields<Name extends string>({ of, form, first }: TextFieldsProps<Name>): ReactNode {
  return of.map(({ name, label, unit, hint, ...spec }) => {
    const { error, ...input } = form.getInputProps(name);
    return (
      <Field key={name} label={label} {...(unit ? { unit } : {})} hint={hint} problem={error}>
        {(control) => (
          <TextInput
            {...input}
            {...control}
            {...spec}
            autoComplete="off"
            spellCheck={false}
            data-autofocus={name === first || undefined}
          />
        )}
      </Field>
    );
  });
}
