import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { ErrorState } from '../ui/error-state.tsx';
import { problemOf } from './describe-error.ts';

export type ApiErrorStateProps = {
  error: unknown;
  /** Whether anything was lost; "Nothing was lost." unless told otherwise. */
  lost?: string;
  onRetry?: () => void;
};

/** A failed request on the page: the server's words, its remedy, every field that is wrong. */
export function ApiErrorState({
  error,
  lost = 'Nothing was lost.',
  onRetry,
}: ApiErrorStateProps): ReactElement {
  const { detail, remedy, issues } = problemOf(error);
  return (
    <ErrorState
      happened={detail}
      lost={lost}
      nextStep={
        issues.length === 0 ? remedy : issues.map((issue) => `${issue.reason}: ${issue.remedy}`).join(' ')
      }
      action={
        onRetry && (
          <Button variant="default" size="xs" onClick={onRetry}>
            Try again
          </Button>
        )
      }
    />
  );
}
