import { Button } from '@mantine/core';
import {
  type CreatedWebhook,
  type WebhookEvent,
  webhookEventLabels,
  webhookEvents,
} from '@mqttlab/shared/messages/webhooks';
import { type ReactElement, useState } from 'react';
import { FormError } from '../../api/api-error-state.tsx';
import { Chip, ChipGroup } from '../../ui/chip.tsx';
import { DialogForm } from '../../ui/dialog.tsx';
import { FieldProblemLine, fieldProblemOf, TextFields, type TextSpec } from '../../ui/input/field.tsx';
import { SecretDialog } from './list-panel.tsx';
import styles from './settings-page.module.css';
import { isPlain, useAddWebhook } from './webhooks.ts';

type AddWebhookDialogProps = { opened: boolean; onClose: () => void };

/** What most people wait for, away from the page. */
const usualEvents: readonly WebhookEvent[] = [
  'experiment.done',
  'experiment.failed',
  'run.failed',
  'device.offline',
];

/** Adds an address, then shows the secret that was made for it, this once. */
export function AddWebhookDialog(state: AddWebhookDialogProps): ReactElement {
  return (
    <SecretDialog
      title="Add a webhook"
      titleOfSecret="The secret of this webhook"
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
  hint: 'https; http only on this machine or in a private network.',
  placeholder: 'https://example.org/hooks/mqttlab',
};
const plainAddress: typeof address = {
  ...address,
  hint: 'Not encrypted, so it is allowed only on this machine and in private networks. Anyone who listens there can read it.',
};
const ownSecret: typeof address = {
  name: 'secret',
  label: 'Secret',
  hint: 'Every message is signed with it (Standard Webhooks). Leave empty to have one generated and shown once.',
  placeholder: 'whsec_…',
};

function AddForm({ onMade }: { onMade: (made: CreatedWebhook) => void }): ReactElement {
  const [form, setForm] = useState({ url: '', secret: '' });
  const [events, setEvents] = useState<readonly WebhookEvent[]>(usualEvents);
  const add = useAddWebhook();
  const { url, secret } = form;
  const submit = () =>
    add.mutate(
      { url, events: [...events], ...(secret.trim() === '' ? {} : { secret }) },
      { onSuccess: onMade },
    );
  const text = {
    form,
    problems: { url: fieldProblemOf(add.error, 'url'), secret: fieldProblemOf(add.error, 'secret') },
    onChange: (change: Partial<typeof form>) => {
      add.reset();
      setForm((before) => ({ ...before, ...change }));
    },
  };
  const toggle = (event: WebhookEvent) => {
    add.reset();
    setEvents((chosen) =>
      chosen.includes(event) ? chosen.filter((each) => each !== event) : [...chosen, event],
    );
  };
  const eventsProblem =
    events.length === 0 ? { what: 'No event is chosen.', remedy: 'Choose at least one.' } : undefined;
  return (
    <DialogForm
      onSubmit={submit}
      noValidate
      buttons={
        <Button type="submit" loading={add.isPending} disabled={url.trim() === '' || events.length === 0}>
          Add
        </Button>
      }
    >
      <p className={styles.words}>
        A JSON message is posted to this address as soon as one of these events happens. If it is not
        accepted, it is sent again, up to four times in little more than an hour.
      </p>
      <TextFields {...text} of={[isPlain(url) ? plainAddress : address]} first="url" />
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
      <TextFields {...text} of={[ownSecret]} />
      <FormError error={add.error} lost="Nothing was added." />
    </DialogForm>
  );
}
