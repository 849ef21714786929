import { Switch } from '@mantine/core';
import { formatCount } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';

type IncludeFlaggedProps = {
  flaggedRuns: number;
  checked: boolean;
  onChange: (included: boolean) => void;
  /** Whether to show "14 flagged" instead of "Include 14 flagged runs", for narrow places. */
  isShort?: boolean;
};

/** Includes flagged runs in every chart and figure of a page; hidden if no run is flagged. */
export function IncludeFlagged(props: IncludeFlaggedProps): ReactElement | null {
  const { flaggedRuns, checked, onChange, isShort = false } = props;
  if (flaggedRuns === 0) return null;
  const count = `${formatCount(flaggedRuns)} flagged`;
  const label = isShort ? count : `Include ${count} ${flaggedRuns === 1 ? 'run' : 'runs'}`;
  return (
    <Switch
      size="sm"
      label={label}
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
