import { type FormErrors, type UseFormReturnType, useForm } from '@mantine/form';
import { type Issue, issuesOf } from '@mqttlab/shared/domain/issue';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { UseMutationResult } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import type * as z from 'zod';
import type { FieldProblem } from '../ui/input/field.tsx';

/** A request body made from a form's values, or the problem with each invalid field. */
export type ReadForm<Body> =
  | { ok: true; body: Body }
  | { ok: false; problems: Readonly<Record<string, FieldProblem>> };

/** Parses a body with the API's schema. `placeOf` returns the form field for an issue. */
export function readWith<Body>(
  schema: z.ZodType<Body>,
  input: unknown,
  placeOf: PlaceOf = atItsField,
): ReadForm<Body> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { ok: true, body: parsed.data };
  return { ok: false, problems: problemsOf(issuesOf(parsed.error), placeOf) };
}

/**
 * Returns the field that shows an issue. Also returns a problem if the form has a better remedy than the
 * server.
 */
export type PlaceOf = (issue: Issue) => { field: string; problem?: FieldProblem };

/** Shows an issue as a sentence next to the field of the same name. */
export const atItsField: PlaceOf = ({ field, reason, remedy }) => ({
  field,
  problem: { what: `${reason.charAt(0).toUpperCase()}${reason.slice(1).replace(/\.$/, '')}.`, remedy },
});

/** Returns the first problem of each field. */
function problemsOf(issues: readonly Issue[], placeOf: PlaceOf): Record<string, FieldProblem> {
  const problems: Record<string, FieldProblem> = {};
  for (const issue of issues) {
    const { field, problem } = placeOf(issue);
    if (problem) problems[field] ??= problem;
  }
  return problems;
}

type ApiFormOptions<Values, Body, Args, Data> = {
  initial: Values;
  call: UseMutationResult<Data, ApiError, Args>;
  read: (values: Values) => ReadForm<Body>;
  args: (body: Body) => Args;
  /** Returns the field that shows an issue from the server, given the values that were sent. */
  placeOf?: (issue: Issue, values: Values) => ReturnType<PlaceOf>;
  onDone?: (data: Data) => void;
};

export type ApiForm<Values> = UseFormReturnType<Values> & {
  /** For `onSubmit` of the form element. */
  submit: (event?: FormEvent<HTMLFormElement>) => void;
  isPending: boolean;
  /** The server's error. */
  error: ApiError | null;
};

/**
 * Returns a form that sends its values with one call. Problems reported by the schema or by the server's
 * problem document are shown next to their fields until the field changes.
 */
export function useApiForm<Values extends Record<string, unknown>, Body, Args, Data>(
  options: ApiFormOptions<Values, Body, Args, Data>,
): ApiForm<Values> {
  const { initial, call, read, args, placeOf = atItsField, onDone } = options;
  const form = useForm<Values>({
    initialValues: initial,
    validate: (values) => {
      const result = read(values);
      return result.ok ? {} : errorsOf(result.problems);
    },
    onValuesChange: () => call.isError && call.reset(),
  });
  const send = (values: Values) => {
    const result = read(values);
    if (!result.ok) return;
    call.mutate(args(result.body), {
      ...(onDone && { onSuccess: onDone }),
      onError: (error) => form.setErrors(formErrorsOf(error, (issue) => placeOf(issue, values))),
    });
  };
  return {
    ...form,
    submit: form.onSubmit(send, (_errors, _values, event) => {
      const element = event?.currentTarget;
      // On a phone, the first problem may be outside the visible area.
      requestAnimationFrame(() => element?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
    }) as ApiForm<Values>['submit'],
    isPending: call.isPending,
    error: call.error,
  };
}

/** Returns the issues in a problem document as form errors. */
export function formErrorsOf({ problem }: ApiError, placeOf: PlaceOf = atItsField): FormErrors {
  return errorsOf(problemsOf(problem.issues, placeOf));
}

/** Converts problems by field to form errors. */
export function errorsOf(problems: Readonly<Record<string, FieldProblem>>): FormErrors {
  const texts = Object.entries(problems).map(([field, { what, remedy }]) => [
    field,
    <span key={field}>
      <b>{what}</b> {remedy}
    </span>,
  ]);
  return Object.fromEntries(texts);
}
