import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { isRouteErrorResponse, Link, useLocation, useRouteError } from 'react-router';
import { EmptyState, ErrorState } from '../states.tsx';
import { Page } from './page.tsx';

export function NotFoundPage(): ReactElement {
  const { pathname } = useLocation();
  return (
    <Page title="Page not found">
      <EmptyState
        sentence={`There is no page at ${pathname}.`}
        action={
          <Button component={Link} to="/experiments">
            Go to the experiments
          </Button>
        }
      />
    </Page>
  );
}

/** Shown if a page fails to load or render; the shell keeps working. */
export function RouteError(): ReactElement {
  const error = useRouteError();
  return (
    <Page title="This page failed">
      <ErrorState
        happened="This page could not be displayed."
        lost="Nothing was lost: experiments run on the server, which stores their results."
        nextStep={`Reload the page. If it fails again, copy this message into a report: ${describe(error)}`}
        action={
          <Button variant="default" onClick={() => window.location.reload()}>
            Reload the page
          </Button>
        }
      />
    </Page>
  );
}

function describe(error: unknown): string {
  if (isRouteErrorResponse(error)) return `The page returned status ${error.status} ${error.statusText}.`;
  if (error instanceof Error) return error.message;
  return 'The page stopped with an unknown error.';
}
