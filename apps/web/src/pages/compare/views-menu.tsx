import { Button, Menu, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { createViewSchema } from '@mqttlab/shared/messages/http';
import { IconBookmark, IconLink, IconTrash } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { Navigate, useNavigate, useParams } from 'react-router';
import { ApiErrorState, FormError } from '../../api/api-error-state.tsx';
import { noSuch } from '../../api/no-such.ts';
import { showProblem } from '../../api/show-problem.tsx';
import { useApi } from '../../api/use-api.ts';
import { atItsField, type PlaceOf, readWith, useApiForm } from '../../api/use-api-form.tsx';
import { useCall } from '../../api/use-call.ts';
import { copyText } from '../../share/share-links.ts';
import { usePublicOrigin } from '../../share/use-public-origin.ts';
import { IconButton } from '../../ui/input/buttons.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import styles from './compare.module.css';

/** Saves the current view under a name and lists saved views. */
type ViewsMenuProps = {
  /** null if nothing is compared yet. */
  state: string | null;
  /** Icon only, for the top bar on phones. */
  isSmall?: boolean;
};

export function ViewsMenu({ state, isSmall = false }: ViewsMenuProps): ReactElement {
  const [opened, setOpened] = useState(false);
  const views = useApi('GET /views');
  const origin = usePublicOrigin();
  const forget = useCall('DELETE /views/{id}', { changes: ['GET /views'] });
  const navigate = useNavigate();
  const items = views.data?.items ?? [];
  return (
    <Menu opened={opened} onChange={setOpened} closeOnItemClick={false} width={320}>
      <Menu.Target>
        {isSmall ? (
          <IconButton icon={IconBookmark} label="Saved views" />
        ) : (
          <Button variant="default" leftSection={<IconBookmark size={15} aria-hidden />}>
            Saved views
          </Button>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        {state !== null && <SaveForm state={state} />}
        <Menu.Label>{items.length === 0 ? 'No saved views yet.' : 'Saved views'}</Menu.Label>
        {items.map((view) => (
          <div key={view.id} className={styles.row}>
            <Menu.Item
              className={styles.item}
              onClick={() => {
                setOpened(false);
                void navigate(`/compare?${view.state}`);
              }}
            >
              {view.name}
            </Menu.Item>
            <IconButton
              icon={IconLink}
              label={`Copy the address of the view ${view.name}`}
              onClick={() => void copyAddress(`${origin}/v/${view.id}`)}
            />
            <IconButton
              icon={IconTrash}
              label={`Delete the view ${view.name}`}
              onClick={() =>
                forget.mutate(
                  { params: { id: view.id } },
                  { onError: (error) => showProblem('The view was not deleted', error) },
                )
              }
            />
          </div>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

async function copyAddress(address: string): Promise<void> {
  const isCopied = await copyText(address);
  notifications.show({ message: isCopied ? `Copied ${address}` : `The address is ${address}` });
}

/** Every problem with a view is shown next to its name, the only field. */
const placeView: PlaceOf = (issue) => ({ ...atItsField(issue), field: 'name' });

function SaveForm({ state }: { state: string }): ReactElement {
  const form = useApiForm({
    initial: { name: '' },
    call: useCall('POST /views', { changes: ['GET /views'] }),
    read: ({ name }) => readWith(createViewSchema, { name, page: 'compare', state }, placeView),
    args: (body) => ({ body }),
    placeOf: placeView,
    onDone: () => {
      form.reset();
    },
  });
  return (
    <>
      <form className={styles.form} onSubmit={form.submit}>
        <TextInput
          {...form.getInputProps('name')}
          aria-label="Name of the view"
          placeholder="Name of this view"
          maxLength={120}
          onKeyDown={(event) => event.stopPropagation()}
        />
        <Button type="submit" disabled={form.values.name.trim() === ''} loading={form.isPending}>
          Save
        </Button>
      </form>
      <FormError error={form.error} lost="The view was not saved." />
    </>
  );
}

/** The short address of a saved view, which redirects to its comparison. */
export function ViewPage(): ReactElement {
  const { id } = useParams();
  const views = useApi('GET /views');
  const view = views.data?.items.find((one) => String(one.id) === id);
  if (view) return <Navigate to={`/compare?${view.state}`} replace />;
  const error = views.error ?? (views.data ? noSuch('view', id) : null);
  return (
    <Page title="Saved view">
      {error ? <ApiErrorState error={error} onRetry={() => void views.refetch()} /> : <PageSkeleton />}
    </Page>
  );
}
