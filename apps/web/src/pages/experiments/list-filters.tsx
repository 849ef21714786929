import { TextInput } from '@mantine/core';
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks';
import type { ExperimentList } from '@mqttlab/shared/messages/http';
import { IconSearch } from '@tabler/icons-react';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { PickMenu } from '../../ui/input/pick.tsx';
import { SegmentedSwitch } from '../../ui/input/segmented-switch.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import styles from './experiments.module.css';
import type { ListFilter, StatusFilter } from './list-filter.ts';

type ListFiltersProps = {
  filter: ListFilter;
  /** undefined until the first answer. */
  list: Pick<ExperimentList, 'counts' | 'tags'> | undefined;
  onChange: (change: Partial<ListFilter>) => void;
};

export function ListFilters({ filter, list, onChange }: ListFiltersProps): ReactElement {
  const segments: { value: StatusFilter; label: string }[] = [
    { value: 'all', label: 'All' },
    { value: 'active', label: 'Active' },
    { value: 'draft', label: 'Drafts' },
    { value: 'finished', label: 'Finished' },
  ];
  const isPhone = useIsPhone();
  const tags = [...new Set([...(list?.tags ?? []), ...(filter.tag ? [filter.tag] : [])])];
  return (
    <>
      <SearchField value={filter.search} onChange={(search) => onChange({ search })} />
      <div className={styles.status}>
        <SegmentedSwitch
          label="Status"
          fullWidth={isPhone}
          value={filter.status}
          options={segments.map((segment) => ({
            ...segment,
            ...(list ? { count: list.counts[segment.value] } : {}),
          }))}
          onChange={(status) => onChange({ status })}
        />
      </div>
      {tags.length > 0 && (
        <PickMenu
          label="Tag"
          value={filter.tag}
          options={[{ value: '', label: 'any' }, ...tags.map((tag) => ({ value: tag, label: tag }))]}
          onChange={(tag) => onChange({ tag })}
        />
      )}
    </>
  );
}

type SearchFieldProps = { value: string; onChange: (value: string) => void };

/** Typing filters after a short pause; "/" comes here from anywhere on the page, Escape empties it. */
function SearchField({ value, onChange }: SearchFieldProps): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const send = useDebouncedCallback(onChange, 200);
  useHotkeys([['/', () => input.current?.focus()]]);
  useEffect(() => {
    if (document.activeElement !== input.current) setText(value);
  }, [value]);
  const change = (next: string) => {
    setText(next);
    send(next.trim());
  };
  return (
    <TextInput
      ref={input}
      className={styles.search}
      type="search"
      aria-label="Search experiments"
      placeholder="Name, factor, tag …"
      maxLength={200}
      value={text}
      leftSection={<IconSearch size={16} stroke={2} aria-hidden />}
      rightSection={text === '' ? <kbd aria-hidden>/</kbd> : undefined}
      rightSectionPointerEvents="none"
      onChange={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') change('');
      }}
    />
  );
}
