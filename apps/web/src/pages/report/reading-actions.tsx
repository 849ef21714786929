import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useSearchParams } from 'react-router';
import { IncludeFlagged } from '../../ui/input/include-flagged.tsx';

/** Returns whether flagged runs are included, as set in the address. */
export function useFlagged(): boolean {
  return useSearchParams()[0].get('flagged') === '1';
}

type FlaggedSwitchProps = { flaggedRuns: number; isShort?: boolean };

/** Includes or excludes flagged runs by changing the page's address. */
export function FlaggedSwitch(props: FlaggedSwitchProps): ReactElement | null {
  const [search, setSearch] = useSearchParams();
  const choose = (isIn: boolean) => {
    const next = new URLSearchParams(search);
    if (isIn) next.set('flagged', '1');
    else next.delete('flagged');
    setSearch(next, { replace: true });
  };
  return <IncludeFlagged {...props} checked={search.get('flagged') === '1'} onChange={choose} />;
}

/** Actions of every results page: include flagged runs, and print. */
export function ReadingActions({ flaggedRuns }: { flaggedRuns: number }): ReactElement {
  return (
    <>
      <FlaggedSwitch flaggedRuns={flaggedRuns} />
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
