import { Combobox, useCombobox } from '@mantine/core';
import { IconCheck, IconChevronDown } from '@tabler/icons-react';
import { type ReactElement, type ReactNode, useState } from 'react';
import pick from './pick-menu.module.css';
import { findOptions, type SearchGroup } from './search-options.ts';
import styles from './search-pick.module.css';

export type SearchPickProps = {
  /** Dimmed before the value: "Response". With `trigger`, the accessible name only. */
  label: string;
  value: string;
  groups: readonly SearchGroup[];
  onChange: (value: string) => void;
  /** In the search field: "Search metrics". */
  placeholder: string;
  /** Words of the button in place of label and value: "Add a factor". */
  trigger?: ReactNode;
};

/** What scrolls is in the tab order (WCAG 2.1.1). */
const scrollable = { tabIndex: 0 } as const;

/** One of many, sorted into groups and found by typing. */
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
        <button type="button" className={pick.pick} onClick={() => combobox.toggleDropdown()}>
          {trigger ?? (
            <>
              <span className={pick.label}>{label}</span>
              <span className={pick.value}>{current?.label ?? value}</span>
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
          onChange={(event) => {
            setSearch(event.currentTarget.value);
            combobox.updateSelectedOptionIndex();
          }}
        />
        <Combobox.Options className={styles.options ?? ''} aria-label={label} {...scrollable}>
          {found.length === 0 && <Combobox.Empty>Nothing is called that.</Combobox.Empty>}
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
                    {option.note && <span className={pick.note}>{option.note}</span>}
                  </span>
                  {option.value === value && <IconCheck size={14} stroke={2.2} aria-hidden />}
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
