import { Button, Modal, TextInput } from '@mantine/core';
import {
  type CreatedWebhook,
  type WebhookEvent,
  webhookEventLabels,
  webhookEvents,
} from '@mqttlab/shared/messages/webhooks';
import { type FormEvent, type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { Chip, ChipGroup } from '../../../ui/chip.tsx';
import { Field, FieldProblemLine } from '../../../ui/input/field.tsx';
import { fieldProblemOf } from '../../devices/remote/field-problem-of.ts';
import { isPlain } from './describe-webhook.ts';
import { SecretOnce } from './secret-once.tsx';
import { useAddWebhook } from './webhook-calls.ts';
import styles from './webhooks.module.css';

type AddWebhookDialogProps = { opened: boolean; onClose: () => void };

/** What most people wait for, away from the page. */
const usualEvents: readonly WebhookEvent[] = [
  'experiment.done',
  'experiment.failed',
  'run.failed',
  'device.offline',
];

/** Adds an address, then shows the secret that was made for it, this once. */
export function AddWebhookDialog({ opened, onClose }: AddWebhookDialogProps): ReactElement {
  const [made, setMade] = useState<CreatedWebhook | null>(null);
  const close = () => {
    setMade(null);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={made ? 'The secret of this webhook' : 'Add a webhook'}
      closeButtonProps={{ 'aria-label': 'Close' }}
      // A click beside it would lose a secret that is never shown again.
      closeOnClickOutside={made === null}
      size={560}
    >
      {made?.secret ? (
        <SecretOnce url={made.webhook.url} secret={made.secret} onClose={close} />
      ) : (
        opened && <AddForm onMade={(webhook) => (webhook.secret === null ? close() : setMade(webhook))} />
      )}
    </Modal>
  );
}

function AddForm({ onMade }: { onMade: (made: CreatedWebhook) => void }): ReactElement {
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState('');
  const [events, setEvents] = useState<readonly WebhookEvent[]>(usualEvents);
  const add = useAddWebhook();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(
      { url, events: [...events], ...(secret.trim() === '' ? {} : { secret }) },
      { onSuccess: onMade },
    );
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
    <form className={styles.form} onSubmit={submit} noValidate>
      <p className={styles.words}>
        A JSON message is posted to this address as soon as one of these events happens. Where it is not
        taken, it comes again, up to four times in little more than an hour.
      </p>
      <Field
        label="Address"
        hint={
          isPlain(url)
            ? 'Not encrypted, so it is taken on this machine and in private networks only. Who listens there can read it.'
            : 'https; http only on this machine or in a private network.'
        }
        problem={fieldProblemOf(add.error, 'url')}
      >
        {(control) => (
          <TextInput
            {...control}
            type="url"
            data-autofocus
            autoComplete="off"
            spellCheck={false}
            placeholder="https://example.org/hooks/mqttlab"
            value={url}
            onChange={(event) => {
              add.reset();
              setUrl(event.currentTarget.value);
            }}
          />
        )}
      </Field>
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
      <Field
        label="Secret"
        hint="Every message is signed with it, as Standard Webhooks has it. Empty: one is made and shown once."
        problem={fieldProblemOf(add.error, 'secret')}
      >
        {(control) => (
          <TextInput
            {...control}
            autoComplete="off"
            spellCheck={false}
            placeholder="whsec_…"
            value={secret}
            onChange={(event) => {
              add.reset();
              setSecret(event.currentTarget.value);
            }}
          />
        )}
      </Field>
      {add.error && add.error.problem.issues.length === 0 && (
        <ApiErrorState error={add.error} lost="Nothing was added." />
      )}
      <div className={styles.buttons}>
        <Button type="submit" loading={add.isPending} disabled={url.trim() === '' || events.length === 0}>
          Add
        </Button>
      </div>
    </form>
  );
}
