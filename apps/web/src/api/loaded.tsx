import type { ReactElement, ReactNode } from 'react';
import { ApiErrorState } from './api-error-state.tsx';

type LoadedProps<Data> = {
  query: { data: Data | undefined; error: unknown; isPending: boolean; refetch: () => unknown };
  /** Shown until the response arrives. */
  skeleton: ReactNode;
  /** CSS class of a box around the error, for parents without margins. */
  errorClass?: string | undefined;
  children: (data: Data) => ReactNode;
};

/** Renders a response, a skeleton while it loads, or the error with a retry button if the request failed. */
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
