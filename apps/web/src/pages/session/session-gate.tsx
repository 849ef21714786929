import { lazy, type ReactElement, type ReactNode, Suspense } from 'react';
import { useSession } from '../../api/queries.ts';
import { PageSkeleton } from '../../ui/skeletons.tsx';

const LoginPage = lazy(async () => ({ default: (await import('./login-page.tsx')).LoginPage }));

/** Shows the page, or the login where this server asks for one. A server that does not answer is the page's matter. */
export function SessionGate({ children }: { children: ReactNode }): ReactElement {
  const session = useSession();
  if (session.data?.loginRequired && session.data.role === null) {
    return (
      <Suspense fallback={<PageSkeleton />}>
        <LoginPage />
      </Suspense>
    );
  }
  return <>{children}</>;
}
