import { Button, Switch } from '@mantine/core';
import {
  type CreatedWebhook,
  createWebhookSchema,
  type Webhook,
  type WebhookEvent,
  webhookEventLabels,
  webhookEvents,
} from '@mqttlab/shared/messages/webhooks';
import { IconSend, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { FormError } from '../../api/api-error-state.tsx';
import { showProblem } from '../../api/show-problem.tsx';
import { useApi } from '../../api/use-api.ts';
import { readWith, useApiForm } from '../../api/use-api-form.tsx';
import { useCall } from '../../api/use-call.ts';
import { Chip, ChipGroup } from '../../ui/chip.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { DialogForm } from '../../ui/dialog.tsx';
import { useNow } from '../../ui/format.ts';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { IconButton } from '../../ui/input/buttons.tsx';
import { FieldProblemLine, TextFields, type TextSpec } from '../../ui/input/field.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { showUndoToast } from '../../ui/undo-toast.tsx';
import { ListPanel, SecretDialog } from './list-panel.tsx';
import styles from './settings-page.module.css';
import { describeDelivery, describeEvents, describePending, isPlain, nameWebhook } from './webhooks.ts';

/** The live connection does not report deliveries. */
const askEveryMs = 5000;

const webhookChanges = { changes: ['GET /webhooks'] } as const;

/** Webhooks with their last delivery. */
export function WebhooksPanel(): ReactElement {
  return (
    <ListPanel
      title="Webhooks"
      subtitle="URLs that are notified of events"
      query={useApi('GET /webhooks', {}, { select: ({ items }) => items, refetchInterval: askEveryMs })}
      columns={columnsAt(useNow(), useIsPhone())}
      rowKey={({ id }) => String(id)}
      empty="No webhooks yet. Add the URL of a chat, a pipeline or your own program to notify it when experiments end, runs fail or devices go offline."
      add={{ label: 'Add a webhook', dialog: (state) => <AddWebhookDialog {...state} /> }}
    />
  );
}

function columnsAt(nowMs: number, isPhone: boolean): Column<Webhook>[] {
  if (isPhone) {
    return [
      {
        id: 'webhook',
        head: 'URL',
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
    { id: 'address', head: 'URL', width: '44%', cell: (webhook) => <Address webhook={webhook} /> },
    {
      id: 'delivery',
      head: 'Last delivery',
      cell: (webhook) => <LastDelivery webhook={webhook} nowMs={nowMs} />,
    },
    { id: 'actions', head: 'Enabled', width: '216px', cell: (webhook) => <Actions webhook={webhook} /> },
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
  const change = useCall('PATCH /webhooks/{id}', webhookChanges);
  const test = useCall('POST /webhooks/{id}/test', webhookChanges);
  const remove = useCall('DELETE /webhooks/{id}', webhookChanges);
  const restore = useCall('POST /webhooks/{id}/restore', webhookChanges);
  const name = nameWebhook(url);
  const place = { params: { id } };
  const forget = () =>
    remove.mutate(place, {
      onSuccess: () =>
        showUndoToast({
          message: `${name} was removed`,
          onUndo: () =>
            restore.mutate(place, { onError: (error) => showProblem('The webhook was not restored', error) }),
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
            { ...place, body: { enabled: event.currentTarget.checked } },
            { onError: (error) => showProblem('The webhook was not changed', error) },
          )
        }
      />
      <ActionButton
        small
        icon={IconSend}
        loading={test.isPending}
        aria-label={`Send test to ${name}`}
        onClick={() =>
          test.mutate(place, { onError: (error) => showProblem('The test was not sent', error) })
        }
      >
        Send test
      </ActionButton>
      <IconButton icon={IconTrash} label={`Remove ${name}`} loading={remove.isPending} onClick={forget} />
    </span>
  );
}

type AddWebhookDialogProps = { opened: boolean; onClose: () => void };

/** Events selected by default. */
const usualEvents: readonly WebhookEvent[] = [
  'experiment.done',
  'experiment.failed',
  'run.failed',
  'device.offline',
];

/** Adds a webhook and shows its new secret once. */
function AddWebhookDialog(state: AddWebhookDialogProps): ReactElement {
  return (
    <SecretDialog
      title="Add a webhook"
      titleOfSecret="Webhook secret"
      size={560}
      {...state}
      form={(onMade) => (
        <AddForm
          onMade={({ secret, webhook }) =>
            onMade(secret === null ? null : { secret, words: wordsFor(webhook.url) })
          }
        />
      )}
    />
  );
}

const wordsFor = (url: string) => (
  <>
    Give it to the receiver at <span className="mono">{url}</span>, which uses it to verify messages. It is
    not shown again.
  </>
);

const address: TextSpec<'url' | 'secret'> = {
  name: 'url',
  label: 'Address',
  type: 'url',
  hint: 'Use https. http is allowed only on this machine and in private networks.',
  placeholder: 'https://example.org/hooks/mqttlab',
};
const plainAddress: typeof address = {
  ...address,
  hint: 'Not encrypted: allowed only on this machine and in private networks. Others on that network can read the messages.',
};
const ownSecret: typeof address = {
  name: 'secret',
  label: 'Secret',
  hint: 'Used to sign every message (Standard Webhooks). Leave empty to have one generated and shown once.',
  placeholder: 'whsec_…',
};

function AddForm({ onMade }: { onMade: (made: CreatedWebhook) => void }): ReactElement {
  const form = useApiForm({
    initial: { url: '', secret: '', events: usualEvents },
    call: useCall('POST /webhooks', webhookChanges),
    read: ({ url, secret, events }) =>
      readWith(createWebhookSchema, { url, events, ...(secret.trim() === '' ? {} : { secret }) }),
    args: (body) => ({ body }),
    onDone: onMade,
  });
  const { url, events } = form.values;
  const toggle = (event: WebhookEvent) =>
    form.setFieldValue(
      'events',
      events.includes(event) ? events.filter((each) => each !== event) : [...events, event],
    );
  const eventsProblem =
    events.length === 0 ? { what: 'No event is selected.', remedy: 'Select at least one.' } : undefined;
  return (
    <DialogForm
      onSubmit={form.submit}
      noValidate
      buttons={
        <Button type="submit" loading={form.isPending} disabled={url.trim() === '' || events.length === 0}>
          Add
        </Button>
      }
    >
      <p className={styles.words}>
        mqttlab posts a JSON message to this URL when one of these events happens. A message that is not
        accepted is sent again up to four times within little more than an hour.
      </p>
      <TextFields form={form} of={[isPlain(url) ? plainAddress : address]} first="url" />
      <div className={styles.group}>
        <span className={styles.legend}>Events</span>
        <ChipGroup label="Events">
          {webhookEvents.map((event) => (
            <Chip key={event} selected={events.includes(event)} onToggle={() => toggle(event)}>
              {webhookEventLabels[event]}
            </Chip>
          ))}
        </ChipGroup>
        {eventsProblem && <FieldProblemLine problem={eventsProblem} />}
      </div>
      <TextFields form={form} of={[ownSecret]} />
      <FormError error={form.error} lost="Nothing was added." />
    </DialogForm>
  );
}
