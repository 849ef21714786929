import type { ApiError } from '../../../api/client.ts';
import type { FieldProblem } from '../../../ui/input/field.tsx';

/** What the server said about one field; undefined where nothing. */
export function fieldProblemOf(error: ApiError | null, field: string): FieldProblem | undefined {
  const issue = error?.problem.issues.find((one) => one.field === field);
  return (
    issue && {
      what: `${issue.reason[0]?.toUpperCase() ?? ''}${issue.reason.slice(1).replace(/\.$/, '')}.`,
      remedy: issue.remedy,
    }
  );
}
