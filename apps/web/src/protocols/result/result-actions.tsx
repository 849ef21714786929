import { Button, Switch } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useSearchParams } from 'react-router';

/** Whether flagged runs are taken in; it stands in the address. */
export function useTakesFlagged(): boolean {
  const [search] = useSearchParams();
  return search.get('flagged') === '1';
}

/** Flagged runs in or out, and paper. */
export function ResultActions({ flaggedRuns }: { flaggedRuns: number }): ReactElement {
  const [, setSearch] = useSearchParams();
  const flagged = useTakesFlagged();
  return (
    <>
      {flaggedRuns > 0 && (
        <Switch
          label={`Take in ${flaggedRuns} flagged ${flaggedRuns === 1 ? 'run' : 'runs'}`}
          size="sm"
          checked={flagged}
          onChange={(event) =>
            setSearch(event.currentTarget.checked ? { flagged: '1' } : {}, { replace: true })
          }
        />
      )}
      <Button
        variant="default"
        leftSection={<IconPrinter size={16} stroke={2} aria-hidden />}
        onClick={() => window.print()}
      >
        Print
      </Button>
    </>
  );
}
