import { type WebhookDelivery, webhookEvents } from '@mqttlab/shared/messages/webhooks';
import { UsageError } from '../arguments.ts';
import { type Actions, type Command, type CommandContext, type ExitCode, runAction } from '../context.ts';
import { renderTable } from '../table.ts';

const actions: Actions = { list: listWebhooks, add: addWebhook, test: testWebhook, remove: removeWebhook };

export const webhook: Command = {
  name: 'webhook',
  summary: 'Tell an address of yours what happens, in signed messages (Standard Webhooks).',
  usages: [
    { form: 'list', does: 'List webhooks with events and last delivery.' },
    {
      form: 'add URL',
      does: 'Add an address: https, or http on this machine or in a private network. Its secret is shown this once.',
      options: [
        ['--events LIST', `all where nothing is said, else some of ${webhookEvents.join(', ')}`],
        ['--secret TEXT', 'one of your own: "whsec_" and 24 to 64 bytes in base64'],
      ],
    },
    { form: 'test ID', does: 'Send a test message now; exit 0 when it was taken.' },
    { form: 'remove ID', does: 'Send nothing more to this address.' },
  ],
  run: runAction('webhook', actions),
};

async function listWebhooks({ api, args, print }: CommandContext): Promise<ExitCode> {
  const { items } = await api.call('GET /webhooks');
  if (args.json) print(JSON.stringify(items));
  else if (items.length === 0) print('No webhooks yet. "webhook add URL" adds one.');
  else {
    const heads = ['Id', 'Address', 'Events', 'State', 'Last delivery'].map((head) => ({ head }));
    const rows = items.map(({ id, url, events, enabled, pending, lastDelivery }) => [
      String(id),
      url,
      events.length === webhookEvents.length ? 'all' : events.join(', '),
      enabled ? (pending > 0 ? `on, ${pending} waiting` : 'on') : 'off',
      lastDelivery ? `${new Date(lastDelivery.at).toISOString()} ${describe(lastDelivery)}` : 'none yet',
    ]);
    print(renderTable(heads, rows));
  }
  return 0;
}

async function addWebhook({ api, args, note, print }: CommandContext): Promise<ExitCode> {
  const url = args.positionals[1];
  if (!url) throw new UsageError('name the address, like https://example.org/hooks/mqttlab');
  const events = args.events === null ? [...webhookEvents] : parseEvents(args.events);
  const body = { url, events, ...(args.secret === null ? {} : { secret: args.secret }) };
  const made = await api.call('POST /webhooks', { body });
  if (args.json) print(JSON.stringify(made));
  else {
    if (made.secret !== null) print(made.secret);
    note(`Webhook ${made.webhook.id} tells ${made.webhook.url}.`);
    if (made.secret !== null) note('Give this secret to the receiver. Keep it: it is not shown again.');
  }
  return 0;
}

function parseEvents(text: string) {
  return text.split(',').map((part) => {
    const event = webhookEvents.find((known) => known === part.trim());
    if (!event) throw new UsageError(`--events: choose of ${webhookEvents.join(', ')}`);
    return event;
  });
}

async function testWebhook({ api, args, note, print }: CommandContext): Promise<ExitCode> {
  const params = { id: parseId(args.positionals[1]) };
  const delivery = await api.call('POST /webhooks/{id}/test', { params });
  if (args.json) print(JSON.stringify(delivery));
  else if (delivery.ok) print(`It was ${describe(delivery)}.`);
  else note(`mqttlab: it was ${describe(delivery)}. ${delivery.remedy ?? ''}`.trim());
  return delivery.ok ? 0 : 1;
}

async function removeWebhook({ api, args, print }: CommandContext): Promise<ExitCode> {
  const id = parseId(args.positionals[1]);
  await api.call('DELETE /webhooks/{id}', { params: { id } });
  print(args.json ? JSON.stringify({ removed: id }) : `Webhook ${id} was removed.`);
  return 0;
}

function describe({ ok, status, reason }: WebhookDelivery): string {
  return ok ? `accepted (${status})` : `not accepted: ${reason}`;
}

function parseId(text: string | undefined): number {
  if (!/^[1-9]\d{0,8}$/.test(text ?? '')) {
    throw new UsageError(`"${text ?? ''}" is not a webhook; give its number, which "webhook list" shows`);
  }
  return Number(text);
}
