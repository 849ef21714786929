import { Button } from '@mantine/core';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { ErrorState } from '../ui/states.tsx';
import { problemOf } from './show-problem.tsx';

export type ApiErrorStateProps = {
  error: unknown;
  /** One sentence about lost data. Default: "Nothing was lost." */
  lost?: string;
  onRetry?: () => void;
};

/** Shows a failed request: the server's message, its remedy and every invalid field. */
export function ApiErrorState({
  error,
  lost = 'Nothing was lost.',
  onRetry,
}: ApiErrorStateProps): ReactElement {
  const { detail, remedy, issues, status } = problemOf(error);
  return (
    <ErrorState
      happened={detail}
      lost={lost}
      nextStep={
        issues.length === 0 ? remedy : issues.map((issue) => `${issue.reason}: ${issue.remedy}`).join(' ')
      }
      action={
        status === 404 ? (
          <Button variant="default" size="xs" component={Link} to="/experiments">
            Go to the experiments
          </Button>
        ) : (
          onRetry && (
            <Button variant="default" size="xs" onClick={onRetry}>
              Try again
            </Button>
          )
        )
      }
    />
  );
}

type FormErrorProps = Omit<ApiErrorStateProps, 'error'> & { error: ApiError | null };

/** Shows why a form was rejected, if the error belongs to none of its fields. */
export function FormError({ error, ...words }: FormErrorProps): ReactElement | null {
  return error?.problem.issues.length === 0 ? <ApiErrorState error={error} {...words} /> : null;
}
