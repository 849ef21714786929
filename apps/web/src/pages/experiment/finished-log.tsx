import { Button } from '@mantine/core';
import { formatCount } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import { LogPanel } from '../../live/log-panel.tsx';
import { useExperimentLog } from './use-experiment-log.ts';

/** The whole log of an experiment that is over, newest first. */
export function FinishedLog({ experimentId }: { experimentId: number }): ReactElement | null {
  const { entries, total, more, isLoading } = useExperimentLog(experimentId, true);
  if (entries.length === 0) return null;
  const shown = formatCount(entries.length);
  return (
    <LogPanel
      entries={entries}
      subtitle={more ? `newest ${shown} of ${formatCount(total)}` : `${shown} lines, newest first`}
      empty="Nothing was said."
      fill
      foot={
        more && (
          <Button variant="subtle" size="xs" fullWidth loading={isLoading} onClick={more}>
            Older lines
          </Button>
        )
      }
    />
  );
}
