import { issuesOf } from '@mqttlab/shared/domain/issue';
import { newEnrolmentSchema } from '@mqttlab/shared/messages/devices';
import { UsageError } from '../../arguments.ts';
import { type Actions, type Command, type CommandContext, type ExitCode, runAction } from '../../context.ts';
import { renderTable } from '../../table.ts';

const actions: Actions = { create: createEnrolment, list: listEnrolments, remove: removeEnrolment };

export const enrol: Command = {
  name: 'enrol',
  summary: 'Tokens with which agents join a pool by themselves; a testbed takes whole pools.',
  usages: [
    {
      form: 'create POOL',
      does: 'Make a token with which agents enrol in this pool; it is shown this once.',
      options: [
        ['--uses N', 'how many agents may enrol with it, one time each (1)'],
        ['--hours N', 'until it ends (24)'],
      ],
    },
    { form: 'list', does: 'List those that can still be used.' },
    { form: 'remove ID', does: 'End one; agents that enrolled stay.' },
  ],
  run: runAction('enrol', actions),
};

async function createEnrolment({ api, args, print, note }: CommandContext): Promise<ExitCode> {
  const { uses, hours } = args;
  const wish = newEnrolmentSchema.safeParse({
    pool: args.positionals[1] ?? '',
    ...(uses !== null && { uses: Number(uses) }),
    ...(hours !== null && { hours: Number(hours) }),
  });
  if (!wish.success) {
    throw new UsageError(
      issuesOf(wish.error)
        .map(({ field, reason }) => `${field}: ${reason}`)
        .join('; '),
    );
  }
  const { enrolment, secret } = await api.call('POST /enrolments', { body: wish.data });
  print(args.json ? JSON.stringify({ ...enrolment, secret }) : secret);
  const until = new Date(enrolment.expiresAt).toISOString();
  if (!args.json) note(`For ${enrolment.usesLeft} agents of pool ${enrolment.pool}, until ${until}.`);
  return 0;
}

async function listEnrolments({ api, args, print }: CommandContext): Promise<ExitCode> {
  const { items } = await api.call('GET /enrolments');
  const heads = ['Id', 'Pool', 'Uses left', 'Until'].map((head) => ({ head }));
  const rows = items.map(({ id, pool, usesLeft, expiresAt }) => [
    String(id),
    pool,
    String(usesLeft),
    new Date(expiresAt).toISOString(),
  ]);
  print(args.json ? JSON.stringify(items) : renderTable(heads, rows));
  return 0;
}

async function removeEnrolment({ api, args, note }: CommandContext): Promise<ExitCode> {
  const id = args.positionals[1];
  if (!/^\d{1,9}$/.test(id ?? '')) throw new UsageError('name the token; "enrol list" shows them');
  await api.call('DELETE /enrolments/{id}', { params: { id: Number(id) } });
  note(`Token ${id} has ended.`);
  return 0;
}
