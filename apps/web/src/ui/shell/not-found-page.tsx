import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { Link, useLocation } from 'react-router';
import { EmptyState } from '../empty-state.tsx';
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
