import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { isRouteErrorResponse, Link, useLocation, useRouteError } from 'react-router';
import { EmptyState, ErrorState } from '../states.tsx';
import { Page } from './page.tsx';

export function NotFoundPage(): ReactElement {
  const { pathname } = useLocation();
  return (
    <Page title="No such page">
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

/** A page that failed to load or to draw; the shell around it keeps working. */
export function RouteError(): ReactElement {
  const error = useRouteError();
  return (
    <Page title="This page failed">
      <ErrorState
        happened="This page could not be drawn."
        lost="Nothing was lost: experiments run on the server, and what it measured is kept there."
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
  if (isRouteErrorResponse(error)) return `The page answered ${error.status} ${error.statusText}.`;
  if (error instanceof Error) return error.message;
  return 'The page stopped with an unknown error.';
}
