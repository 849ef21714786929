import { Switch } from '@mantine/core';
import type { Webhook } from '@mqttlab/shared/messages/webhooks';
import { IconSend, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { showProblem } from '../../api/show-problem.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { useNow } from '../../ui/format.ts';
import { ActionButton, IconButton } from '../../ui/input/buttons.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { showUndoToast } from '../../ui/undo-toast.tsx';
import { AddWebhookDialog } from './add-webhook-dialog.tsx';
import { ListPanel } from './list-panel.tsx';
import styles from './settings-page.module.css';
import {
  describeDelivery,
  describeEvents,
  describePending,
  isPlain,
  nameWebhook,
  useChangeWebhook,
  useRemoveWebhook,
  useRestoreWebhook,
  useTestWebhook,
  useWebhooks,
} from './webhooks.ts';

/** Addresses that are told what happens, and whether they were reached. */
export function WebhooksPanel(): ReactElement {
  return (
    <ListPanel
      title="Webhooks"
      subtitle="addresses that are notified of events"
      query={useWebhooks()}
      columns={columnsAt(useNow(), useIsPhone())}
      rowKey={({ id }) => String(id)}
      empty="No webhooks yet. Add the address of a chat, a pipeline or your own program, and it is notified when experiments end, runs fail or devices go offline."
      add={{ label: 'Add a webhook', dialog: (state) => <AddWebhookDialog {...state} /> }}
    />
  );
}

function columnsAt(nowMs: number, isPhone: boolean): Column<Webhook>[] {
  if (isPhone) {
    return [
      {
        id: 'webhook',
        head: 'Tells',
        cell: (webhook) => (
          <span className={styles.two}>
            <Address webhook={webhook} />
            <LastDelivery webhook={webhook} nowMs={nowMs} />
            <Actions webhook={webhook} />
          </span>
        ),
      },
    ];
  }
  return [
    { id: 'address', head: 'Tells', width: '44%', cell: (webhook) => <Address webhook={webhook} /> },
    {
      id: 'delivery',
      head: 'Last delivery',
      cell: (webhook) => <LastDelivery webhook={webhook} nowMs={nowMs} />,
    },
    { id: 'actions', head: 'On', width: '216px', cell: (webhook) => <Actions webhook={webhook} /> },
  ];
}

function Address({ webhook: { url, events } }: { webhook: Webhook }): ReactElement {
  return (
    <span className={styles.two}>
      <span className="mono">{url}</span>
      <span className="second">
        {describeEvents(events)}
        {isPlain(url) && ' · not encrypted'}
      </span>
    </span>
  );
}

function LastDelivery({ webhook, nowMs }: { webhook: Webhook; nowMs: number }): ReactElement {
  const { lastDelivery, enabled } = webhook;
  const pending = describePending(webhook);
  if (!lastDelivery) {
    return <span className="second">{pending ?? (enabled ? 'None yet' : 'None; switched off')}</span>;
  }
  const { kind, headline, detail } = describeDelivery(lastDelivery, nowMs);
  return (
    <span className={styles.two}>
      <StatusLine kind={kind}>{headline}</StatusLine>
      <span className="second">
        {detail}
        {pending && ` · ${pending}`}
      </span>
    </span>
  );
}

function Actions({ webhook: { id, url, enabled } }: { webhook: Webhook }): ReactElement {
  const change = useChangeWebhook();
  const test = useTestWebhook();
  const remove = useRemoveWebhook();
  const restore = useRestoreWebhook();
  const name = nameWebhook(url);
  const forget = () =>
    remove.mutate(id, {
      onSuccess: () =>
        showUndoToast({
          message: `${name} was removed`,
          onUndo: () => restore.mutate(id, { onError: (error) => showProblem('It was not restored', error) }),
        }),
      onError: (error) => showProblem('The webhook was not removed', error),
    });
  return (
    <span className={styles.actions}>
      <Switch
        aria-label={`Send messages to ${name}`}
        checked={enabled}
        disabled={change.isPending}
        onChange={(event) =>
          change.mutate(
            { id, change: { enabled: event.currentTarget.checked } },
            { onError: (error) => showProblem('The webhook was not changed', error) },
          )
        }
      />
      <ActionButton
        small
        icon={IconSend}
        loading={test.isPending}
        aria-label={`Send a test to ${name}`}
        onClick={() => test.mutate(id, { onError: (error) => showProblem('The test was not sent', error) })}
      >
        Send a test
      </ActionButton>
      <IconButton icon={IconTrash} label={`Remove ${name}`} loading={remove.isPending} onClick={forget} />
    </span>
  );
}
