import { Button, Switch } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useSearchParams } from 'react-router';

/** Whether flagged runs are included, as set in the address. */
export function useFlagged(): boolean {
  return useSearchParams()[0].get('flagged') === '1';
}

type FlaggedSwitchProps = { flaggedRuns: number; label: string };

/** Switch to include flagged runs; hidden if there are none. */
export function FlaggedSwitch({ flaggedRuns, label }: FlaggedSwitchProps): ReactElement | null {
  const [search, setSearch] = useSearchParams();
  const choose = (isIn: boolean) => {
    const next = new URLSearchParams(search);
    if (isIn) next.set('flagged', '1');
    else next.delete('flagged');
    setSearch(next, { replace: true });
  };
  if (flaggedRuns === 0) return null;
  return (
    <Switch
      label={label}
      size="sm"
      checked={search.get('flagged') === '1'}
      onChange={(event) => choose(event.currentTarget.checked)}
    />
  );
}

/** Actions of every results page: include flagged runs, and print. */
export function ReadingActions({ flaggedRuns }: { flaggedRuns: number }): ReactElement {
  return (
    <>
      <FlaggedSwitch
        flaggedRuns={flaggedRuns}
        label={`Include ${flaggedRuns} flagged ${flaggedRuns === 1 ? 'run' : 'runs'}`}
      />
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
