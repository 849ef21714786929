import { Button } from '@mantine/core';
import { formatCount } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { ExperimentList } from '@mqttlab/shared/messages/http';
import { IconChevronLeft, IconChevronRight, IconScale, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { IconButton } from '../../../ui/input/buttons.tsx';
import { pageSize } from './list-filter.ts';
import styles from './list-foot.module.css';

type ListFootProps = {
  list: ExperimentList;
  page: number;
  onPage: (page: number) => void;
  selected: ReadonlySet<string>;
  onClear: () => void;
};

/** How much there is, the pages, and what to do with the rows selected. */
export function ListFoot({ list, page, onPage, selected, onClear }: ListFootProps): ReactElement {
  const { total, runs, dataBytes, items } = list;
  const first = page * pageSize + 1;
  const last = page * pageSize + items.length;
  return (
    <div className={styles.foot}>
      <span className="tabular">
        {total > items.length && `${formatCount(first)}–${formatCount(last)} of `}
        {formatCount(total)} {total === 1 ? 'experiment' : 'experiments'}
      </span>
      <span className={`tabular ${styles.wide}`}>
        {formatCount(runs)} {runs === 1 ? 'run' : 'runs'}, {formatBytes(dataBytes)}
      </span>
      <span className={styles.space} />
      {selected.size === 0 ? (
        <span className={styles.wide}>Select two or more to compare</span>
      ) : (
        <Selection selected={selected} onClear={onClear} />
      )}
      {total > pageSize && (
        <span className={styles.pages}>
          <IconButton
            icon={IconChevronLeft}
            label="Previous page"
            disabled={page === 0}
            onClick={() => onPage(page - 1)}
          />
          <IconButton
            icon={IconChevronRight}
            label="Next page"
            disabled={last >= total}
            onClick={() => onPage(page + 1)}
          />
        </span>
      )}
    </div>
  );
}

type SelectionProps = Pick<ListFootProps, 'selected' | 'onClear'>;

export function Selection({ selected, onClear }: SelectionProps): ReactElement {
  const ids = [...selected].map(Number).sort((a, b) => a - b);
  return (
    <span className={styles.selection}>
      <span className="tabular" role="status">
        {formatCount(ids.length)} selected
      </span>
      <IconButton icon={IconX} label="Clear the selection" onClick={onClear} />
      <Button
        component={Link}
        to={`/compare?experiments=${ids.join(',')}`}
        variant="default"
        size="xs"
        leftSection={<IconScale size={14} stroke={2} aria-hidden />}
      >
        {ids.length === 1 ? 'Compare its treatments' : `Compare ${formatCount(ids.length)} experiments`}
      </Button>
    </span>
  );
}
