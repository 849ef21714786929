import { type WebhookDelivery, webhookEvents } from '@mqttlab/shared/messages/webhooks';
import { type Cli, usageError } from '../cli.ts';
import { renderTable } from '../terminal.ts';

const missingId = 'give the number of the webhook, which "webhook list" shows';

export function addWebhook(cli: Cli): void {
  const webhook = cli.group('webhook', {
    does: 'Notify your URL of events with signed messages (Standard Webhooks).',
  });

  webhook
    .command('list', {
      does: 'List webhooks with their events and last delivery.',
      examples: ['webhook list'],
    })
    .action(
      cli.runs(async ({ api, json, print }) => {
        const { items } = await api.call('GET /webhooks');
        if (json) print(JSON.stringify(items));
        else if (items.length === 0) print('No webhooks yet. "webhook add URL" adds one.');
        else {
          const heads = ['Id', 'Address', 'Events', 'State', 'Last delivery'].map((head) => ({ head }));
          const rows = items.map(({ id, url, events, enabled, pending, lastDelivery }) => [
            String(id),
            url,
            events.length === webhookEvents.length ? 'all' : events.join(', '),
            enabled ? (pending > 0 ? `on, ${pending} waiting` : 'on') : 'off',
            lastDelivery
              ? `${new Date(lastDelivery.at).toISOString()} ${describe(lastDelivery)}`
              : 'none yet',
          ]);
          print(renderTable(heads, rows));
        }
        return 0;
      }),
    );

  webhook
    .command('add', {
      does: 'Add an address: https, or http on this machine or in a private network. Its secret is shown only once.',
      examples: ['webhook add https://example.org/hooks/mqttlab --events run.failed,device.offline'],
    })
    .argument('<URL>', 'name the address, like https://example.org/hooks/mqttlab')
    .option('--events <LIST>', `some of ${webhookEvents.join(', ')} (default: all)`)
    .option('--secret <TEXT>', 'the secret: "whsec_" and 24 to 64 bytes in base64 (default: generated)')
    .action(
      cli.runs(async ({ api, json, note, print }, url, { events: list, secret }) => {
        const events = list === undefined ? [...webhookEvents] : parseEvents(list);
        const made = await api.call('POST /webhooks', {
          body: { url, events, ...(secret === undefined ? {} : { secret }) },
        });
        if (json) print(JSON.stringify(made));
        else {
          if (made.secret !== null) print(made.secret);
          note(`Webhook ${made.webhook.id} notifies ${made.webhook.url}.`);
          if (made.secret !== null) note('Give this secret to the receiver. Keep it: it is not shown again.');
        }
        return 0;
      }),
    );

  webhook
    .command('test', {
      does: 'Send a test message now; exit code 0 if it was accepted.',
      examples: ['webhook test 1'],
    })
    .argument('<ID>', missingId)
    .action(
      cli.runs(async ({ api, json, note, print }, text) => {
        const params = { id: parseId(text) };
        const delivery = await api.call('POST /webhooks/{id}/test', { params });
        if (json) print(JSON.stringify(delivery));
        else if (delivery.ok) print(`The message was ${describe(delivery)}.`);
        else note(`mqttlab: the message was ${describe(delivery)}. ${delivery.remedy ?? ''}`.trim());
        return delivery.ok ? 0 : 1;
      }),
    );

  webhook
    .command('remove', { does: 'Stop sending messages to this address.', examples: ['webhook remove 1'] })
    .argument('<ID>', missingId)
    .action(
      cli.runs(async ({ api, json, print }, text) => {
        const id = parseId(text);
        await api.call('DELETE /webhooks/{id}', { params: { id } });
        print(json ? JSON.stringify({ removed: id }) : `Webhook ${id} was removed.`);
        return 0;
      }),
    );
}

function parseEvents(text: string) {
  return text.split(',').map((part) => {
    const event = webhookEvents.find((known) => known === part.trim());
    if (!event) throw usageError(`--events: choose from ${webhookEvents.join(', ')}`);
    return event;
  });
}

function describe({ ok, status, reason }: WebhookDelivery): string {
  return ok ? `accepted (${status})` : `not accepted: ${reason}`;
}

function parseId(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw usageError(`"${text}" is not a webhook; give its number, which "webhook list" shows`);
  }
  return Number(text);
}
