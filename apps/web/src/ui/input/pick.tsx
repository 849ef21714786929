import { Combobox, type ComboboxStore, Menu, useCombobox } from '@mantine/core';
import { metricGroupLabels } from '@mqttlab/shared/catalogue/metrics-reference';
import { type MetricDefinition, metricGroups } from '@mqttlab/shared/domain/runs/verdict';
import { IconCheck, IconChevronDown } from '@tabler/icons-react';
import { type ReactElement, type ReactNode, useDeferredValue, useEffect, useState } from 'react';
import styles from './pick.module.css';

interface SearchOption {
  value: string;
  label: string;
  /** Shown dimmed after the label, such as a unit. */
  note?: string;
  /** Additional search words. */
  words?: string;
  /** Description for a tooltip. */
  title?: string;
}

export interface SearchGroup {
  label: string;
  options: readonly SearchOption[];
}

/**
 * Returns the options that contain every search word in name, note, group or search words. Omits empty
 * groups.
 */
export function findOptions(groups: readonly SearchGroup[], search: string): SearchGroup[] {
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  return groups
    .map((group) => ({
      ...group,
      options: group.options.filter((option) => {
        const text =
          `${option.label} ${option.note ?? ''} ${option.words ?? ''} ${group.label}`.toLowerCase();
        return wanted.every((word) => text.includes(word));
      }),
    }))
    .filter((group) => group.options.length > 0);
}

/** Returns metrics for a searchable menu, by group, in catalogue order. */
export function groupMetrics(metrics: readonly MetricDefinition[]): SearchGroup[] {
  return metricGroups.flatMap((group) => {
    const options = metrics
      .filter((metric) => metric.group === group)
      .map((metric) => ({
        value: metric.id,
        label: metric.label,
        note: metric.unit,
        words: `${metric.id} ${metric.help}`,
        title: aboutMetric(metric),
      }));
    return options.length === 0 ? [] : [{ label: metricGroupLabels[group], options }];
  });
}

/** Returns definition, source and known bias, for a tooltip. */
export function aboutMetric({ help, source, bias }: MetricDefinition): string {
  return [help, `Source: ${source}`, ...(bias === null ? [] : [`Known bias: ${bias}`])].join('\n');
}

type PickOption<Value extends string> = { value: Value; label: string; note?: string };

type PickMenuProps<Value extends string> = {
  /** Shown dimmed before the value: "Baseline". */
  label: string;
  value: Value;
  /** Shorter button text for options with long labels. */
  words?: string;
  options: readonly PickOption<Value>[];
  onChange: (value: Value) => void;
};

const none: readonly never[] = [];

type LateProps<T> = { items: readonly T[]; render(item: T): ReactNode };

/** Renders a long list after its menu has opened. */
export function Late<T>({ items, render }: LateProps<T>): ReactNode {
  return useDeferredValue(items, none).map(render);
}

/** A select styled as inline text: "Baseline Plain, same link". */
export function PickMenu<Value extends string>(props: PickMenuProps<Value>): ReactElement {
  const { label, value, words, options, onChange } = props;
  const current = words ?? options.find((option) => option.value === value)?.label ?? value;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button type="button" className={styles.pick}>
          <span className={styles.label}>{label}</span>
          <span className={styles.value}>{current}</span>
          <IconChevronDown size={14} stroke={2.2} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown className={styles.dropdown ?? ''}>
        <Late
          items={options}
          render={(option) => (
            <Menu.RadioItem
              key={option.value}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              closeMenuOnClick
              checkIcon={<IconCheck size={14} stroke={2.4} aria-hidden />}
            >
              {option.label}
              {option.note && <span className={styles.note}>{option.note}</span>}
            </Menu.RadioItem>
          )}
        />
      </Menu.Dropdown>
    </Menu>
  );
}

type SearchPickProps = {
  /** Shown dimmed before the value: "Response". With `trigger`, used only as the accessible name. */
  label: string;
  value: string;
  groups: readonly SearchGroup[];
  onChange: (value: string) => void;
  /** Placeholder of the search field: "Search metrics". */
  placeholder: string;
  /** Button text instead of label and value: "Add a factor". */
  trigger?: ReactNode;
};

/** Scrollable content is in the tab order (WCAG 2.1.1). */
const scrollable = { tabIndex: 0 } as const;

type PreselectProps = { combobox: ComboboxStore; search: string; groups: readonly SearchGroup[] };

/**
 * Enter selects the first match, or the current option without a search. Rendered after the options that it
 * needs.
 */
export function Preselect({ combobox, search, groups }: PreselectProps): null {
  const { selectFirstOption, selectActiveOption } = combobox;
  const shown = groups.flatMap(({ options }) => options.map(({ value }) => value)).join('\n');
  const isSearched = search.trim() !== '';
  useEffect(() => {
    if (shown === '') return;
    if (isSearched) selectFirstOption();
    else selectActiveOption();
  }, [shown, isSearched, selectFirstOption, selectActiveOption]);
  return null;
}

/** A searchable select with groups. */
export function SearchPick(props: SearchPickProps): ReactElement {
  const { label, value, groups, onChange, placeholder, trigger } = props;
  const [search, setSearch] = useState('');
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      setSearch('');
    },
    onDropdownOpen: () => combobox.focusSearchInput(),
  });
  const found = findOptions(groups, search);
  const current = groups.flatMap((group) => group.options).find((option) => option.value === value);
  return (
    <Combobox
      store={combobox}
      width={320}
      position="bottom-start"
      shadow="md"
      onOptionSubmit={(next) => {
        onChange(next);
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target targetType="button">
        <button type="button" className={styles.pick} onClick={() => combobox.toggleDropdown()}>
          {trigger ?? (
            <>
              <span className={styles.label}>{label}</span>
              <span className={styles.value}>{current?.label ?? value}</span>
              <IconChevronDown size={14} stroke={2.2} aria-hidden />
            </>
          )}
        </button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={search}
          placeholder={placeholder}
          aria-label={placeholder}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Combobox.Options className={styles.options ?? ''} aria-label={label} {...scrollable}>
          {found.length === 0 && <Combobox.Empty>Nothing found.</Combobox.Empty>}
          {found.map((group) => (
            <Combobox.Group key={group.label} label={group.label}>
              {group.options.map((option) => (
                <Combobox.Option
                  key={option.value}
                  value={option.value}
                  active={option.value === value}
                  title={option.title}
                  className={styles.option ?? ''}
                >
                  <span className={styles.words}>
                    {option.label}
                    {option.note && <span className={styles.note}>{option.note}</span>}
                  </span>
                  {option.value === value && <IconCheck size={14} stroke={2.2} aria-hidden />}
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
        </Combobox.Options>
        <Preselect combobox={combobox} search={search} groups={found} />
      </Combobox.Dropdown>
    </Combobox>
  );
}
