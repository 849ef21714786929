import type { ReactElement, ReactNode } from 'react';
import { ApiErrorState } from './api-error-state.tsx';

type LoadedProps<Data> = {
  query: { data: Data | undefined; error: unknown; isPending: boolean; refetch: () => unknown };
  /** Stands there until there is an answer. */
  skeleton: ReactNode;
  /** Of a box around the error, where the place has no margins of its own. */
  errorClass?: string | undefined;
  children: (data: Data) => ReactNode;
};

/** What the server answered; before that a skeleton, and where it failed why, with a button that asks again. */
export function Loaded<Data>({ query, skeleton, errorClass, children }: LoadedProps<Data>): ReactElement {
  const { data, error, isPending, refetch } = query;
  return (
    <>
      {error !== null && data === undefined && (
        <div className={errorClass}>
          <ApiErrorState error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {isPending && skeleton}
      {data !== undefined && children(data)}
    </>
  );
}
