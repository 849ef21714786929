import type { ReactElement } from 'react';
import { Navigate, useParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { noSuch } from '../../api/no-such.ts';
import { useViews } from '../../api/queries.ts';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';

/** The short address of a saved view: opens the comparison that it holds. */
export function ViewPage(): ReactElement {
  const { id } = useParams();
  const views = useViews();
  const view = views.data?.find((one) => String(one.id) === id);
  if (view) return <Navigate to={`/compare?${view.state}`} replace />;
  const error = views.error ?? (views.data ? noSuch('view', id) : null);
  return (
    <Page title="Saved view">
      {error ? <ApiErrorState error={error} onRetry={() => void views.refetch()} /> : <PageSkeleton />}
    </Page>
  );
}
