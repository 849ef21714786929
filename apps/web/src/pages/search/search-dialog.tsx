import { Combobox, Modal, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { studies } from '@mqttlab/shared/catalogue/studies';
import { type ReactElement, useState } from 'react';
import { useNavigate } from 'react-router';
import { useExperiment, useExperiments, useRun } from '../../api/queries.ts';
import pick from '../../ui/input/pick.module.css';
import type { SearchDialogProps } from '../../ui/shell/shell.tsx';
import styles from './search-dialog.module.css';
import { experimentNumberOf, runNumberOf, searchGroups } from './search-groups.ts';

/** Experiments that are offered. */
const most = 8;
const typingMs = 150;

/** Finds pages, experiments, runs and studies from anywhere. */
export function SearchDialog({ opened, onClose }: SearchDialogProps): ReactElement {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      withCloseButton={false}
      size={560}
      padding={0}
      yOffset="12vh"
      aria-label="Search"
    >
      <Search onClose={onClose} />
    </Modal>
  );
}

function Search({ onClose }: { onClose: () => void }): ReactElement {
  const [search, setSearch] = useState('');
  const [asked] = useDebouncedValue(search.trim(), typingMs);
  const navigate = useNavigate();
  const combobox = useCombobox({ opened: true });
  const number = runNumberOf(asked);
  const experiments = useExperiments({ search: asked || undefined, limit: most }).data?.items ?? [];
  const run = useRun(number).data;
  const experimentNumber = experimentNumberOf(asked);
  const numbered = useExperiment(experimentNumber).data;
  const groups = searchGroups(search, {
    experiments,
    numbered: numbered?.id === experimentNumber ? numbered : undefined,
    run: run?.id === number ? run : undefined,
    studies,
  });
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(address) => {
        onClose();
        void navigate(address);
      }}
    >
      <Combobox.EventsTarget>
        <input
          className={styles.field}
          data-autofocus
          aria-label="Search pages, experiments, runs and studies"
          placeholder="Page, experiment, run number, study"
          value={search}
          onChange={(event) => {
            setSearch(event.currentTarget.value);
            combobox.resetSelectedOption();
          }}
          onKeyDown={(event) => event.key === 'Escape' && onClose()}
        />
      </Combobox.EventsTarget>
      <Combobox.Options className={styles.options ?? ''} aria-label="Found">
        {groups.length === 0 && <Combobox.Empty>Nothing found.</Combobox.Empty>}
        {groups.map((group) => (
          <Combobox.Group key={group.label} label={group.label}>
            {group.options.map((option) => (
              <Combobox.Option key={option.value} value={option.value}>
                {option.label}
                {option.note && <span className={pick.note}>{option.note}</span>}
              </Combobox.Option>
            ))}
          </Combobox.Group>
        ))}
      </Combobox.Options>
    </Combobox>
  );
}
