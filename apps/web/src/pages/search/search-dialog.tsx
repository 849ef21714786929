import { Combobox, Modal, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { parseReference } from '@mqttlab/shared/domain/runs/reference';
import { studies } from '@mqttlab/studies/studies';
import { keepPreviousData } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useNavigate } from 'react-router';
import { showProblem } from '../../api/show-problem.tsx';
import { useApi } from '../../api/use-api.ts';
import { answersExperiment, useCall } from '../../api/use-call.ts';
import pick from '../../ui/input/pick.module.css';
import { Preselect } from '../../ui/input/pick.tsx';
import { documentationFolder } from '../../ui/shell/help-link.tsx';
import type { SearchDialogProps } from '../../ui/shell/shell.tsx';
import { useShellStatus } from '../../ui/shell/shell-status.tsx';
import { useOtherScheme } from '../../ui/shell/top-bar.tsx';
import { useTour } from '../experiments/tour-banner.tsx';
import { useExperimentCommands } from '../experiments/use-experiment-commands.ts';
import styles from './search-dialog.module.css';
import { type SearchAction, searchGroups } from './search-groups.ts';

/** Maximum number of experiments in the results. */
const most = 8;
const typingMs = 150;

/** Finds pages, documentation, experiments, runs and studies from anywhere, and runs actions. */
export function SearchDialog({ opened, onClose }: SearchDialogProps): ReactElement {
  const act = useSearchActions();
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
      <Search onClose={onClose} act={act} />
    </Modal>
  );
}

type SearchProps = { onClose: () => void; act: Record<SearchAction, () => void> };

function Search({ onClose, act }: SearchProps): ReactElement {
  const [search, setSearch] = useState('');
  const [asked] = useDebouncedValue(search.trim(), typingMs);
  const navigate = useNavigate();
  const combobox = useCombobox({ opened: true });
  const named = parseReference(asked);
  const experimentNumber = named?.experiment ?? null;
  const listed = useApi(
    'GET /experiments',
    { query: { search: asked || undefined, limit: most } },
    { placeholderData: keepPreviousData },
  );
  const experiments = listed.data?.items ?? [];
  const numbered = useApi(
    'GET /experiments/{id}',
    experimentNumber === null ? null : { params: { id: experimentNumber } },
  ).data;
  const { running } = useShellStatus();
  const groups = searchGroups(search, {
    experiments,
    numbered: numbered?.id === experimentNumber ? numbered : undefined,
    runNumber: named?.trial ?? null,
    studies,
    running,
  });
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(value) => {
        onClose();
        if (value.startsWith(documentationFolder)) window.open(value, '_blank', 'noopener');
        else if (value.startsWith('/')) void navigate(value);
        else act[value as SearchAction]();
      }}
    >
      <Combobox.EventsTarget>
        <input
          className={styles.field}
          data-autofocus
          aria-label="Search pages, documentation, experiments, runs and studies"
          placeholder="Page, action, experiment, level, E-7 run 2, study"
          value={search}
          onChange={(event) => {
            setSearch(event.currentTarget.value);
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
      <Preselect combobox={combobox} search={search} groups={groups} />
    </Combobox>
  );
}

function useSearchActions(): Record<SearchAction, () => void> {
  const { create } = useExperimentCommands();
  const tour = useTour();
  const { switchScheme } = useOtherScheme();
  const { running } = useShellStatus();
  const action = useCall('POST /experiments/{id}/actions/{action}', answersExperiment);
  const change = (kind: 'pause' | 'resume') => () => {
    const id = parseReference(running?.code ?? '')?.experiment;
    if (id === undefined) return;
    const onError = (error: unknown) => showProblem(`${running?.code}: ${kind} failed`, error);
    action.mutate({ params: { id, action: kind } }, { onError });
  };
  return {
    new: create,
    tour: tour.start,
    theme: switchScheme,
    pause: change('pause'),
    resume: change('resume'),
  };
}
