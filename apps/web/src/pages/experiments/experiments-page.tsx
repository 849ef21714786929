import { IconFileImport, IconPlus } from '@tabler/icons-react';
import { type ReactElement, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useImportBundle, useImportPlan } from '../../api/mutations.ts';
import { useExperiments } from '../../api/queries.ts';
import { handedPlan } from '../../share/share-links.ts';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { IconButton } from '../../ui/input/buttons.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { ExperimentList, Selection } from './experiment-list.tsx';
import styles from './experiments.module.css';
import { ImportPlanDialog } from './import-plan-dialog.tsx';
import { useListFilter } from './list-filter.ts';
import { ListFilters } from './list-filters.tsx';
import { TourBanner } from './tour-banner.tsx';
import { useExperimentCommands } from './use-experiment-commands.ts';

const noRows: ReadonlySet<string> = new Set();

/** Every experiment: find, open, clone, compare, begin a new one. */
export function ExperimentsPage(): ReactElement {
  const isPhone = useIsPhone();
  const { filter, params, change } = useListFilter();
  const query = useExperiments(params);
  const commands = useExperimentCommands();
  const [selected, setSelected] = useState(noRows);
  const { search, hash } = useLocation();
  const [isImporting, setImporting] = useState(false);
  const [handed, setHanded] = useState('');
  const imported = useImportPlan();
  const bundled = useImportBundle();
  const navigate = useNavigate();

  // From a share link elsewhere: shown before anything is made of it.
  useEffect(() => {
    const plan = handedPlan(hash);
    if (plan === null) return;
    setHanded(plan);
    setImporting(true);
    void navigate({ search }, { replace: true });
  }, [search, hash, navigate]);

  const create = (
    <ActionButton variant="filled" icon={IconPlus} loading={commands.isCreating} onClick={commands.create}>
      New experiment
    </ActionButton>
  );
  return (
    <Page
      title="Experiments"
      layout="fill"
      phoneActions={
        <IconButton icon={IconFileImport} label="Import plan" onClick={() => setImporting(true)} />
      }
      bottomBar={
        <div className={styles.bottom}>
          {selected.size > 0 ? <Selection selected={selected} onClear={() => setSelected(noRows)} /> : create}
        </div>
      }
    >
      <TourBanner hasRun={query.data?.items.some(({ tags }) => tags.includes('tour')) ?? false} />
      <div className={styles.filters}>
        <ListFilters filter={filter} list={query.data} onChange={change} />
        {!isPhone && (
          <>
            <span className={styles.space} />
            <ActionButton icon={IconFileImport} onClick={() => setImporting(true)}>
              Import plan
            </ActionButton>
            {create}
          </>
        )}
      </div>
      <ExperimentList
        query={query}
        filter={filter}
        onFilter={change}
        commands={commands}
        selected={selected}
        onSelect={setSelected}
      />
      <ImportPlanDialog
        opened={isImporting}
        given={handed}
        onClose={() => {
          setImporting(false);
          setHanded('');
        }}
        hint="It becomes a new draft. A research bundle (zip) also contains runs; its checksums and figures are verified. Its signature shows that it was not changed since, not who measured."
        onBundle={async (bundle) => {
          const { id } = await bundled.mutateAsync(bundle);
          await navigate(`/experiments/${id}`);
        }}
        onImport={async (text) => {
          const { id } = await imported.mutateAsync(text);
          await navigate(`/experiments/${id}/edit/review`);
        }}
      />
    </Page>
  );
}
