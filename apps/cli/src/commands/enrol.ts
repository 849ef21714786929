import { issuesOf } from '@mqttlab/shared/domain/issue';
import { plural } from '@mqttlab/shared/format/number';
import { newEnrolmentSchema } from '@mqttlab/shared/messages/devices';
import { type Cli, usageError } from '../cli.ts';
import { renderTable } from '../terminal.ts';

export function addEnrol(cli: Cli): void {
  const enrol = cli.group('enrol', {
    does: 'Manage the tokens that agents use to join a pool; a testbed can use entire pools.',
  });

  enrol
    .command('create', {
      does: 'Create a token that agents use to enrol in this pool; it is shown only once.',
      examples: ['enrol create lab-pool --uses 20 --hours 48'],
    })
    .argument('<POOL>', 'name the pool')
    .option('--uses <N>', 'how many agents can enrol with the token (default: 1)')
    .option('--hours <N>', 'hours until it expires (default: 24)')
    .action(
      cli.runs(async ({ api, json, print, note }, pool, { uses, hours }) => {
        const parsed = newEnrolmentSchema.safeParse({
          pool,
          ...(uses !== undefined && { uses: Number(uses) }),
          ...(hours !== undefined && { hours: Number(hours) }),
        });
        if (!parsed.success) {
          const issues = issuesOf(parsed.error).map(({ field, reason }) => `${field}: ${reason}`);
          throw usageError(issues.join('; '));
        }
        const { enrolment, secret } = await api.call('POST /enrolments', { body: parsed.data });
        print(json ? JSON.stringify({ ...enrolment, secret }) : secret);
        const until = new Date(enrolment.expiresAt).toISOString();
        if (!json)
          note(`For ${plural(enrolment.usesLeft, 'agent')} in pool ${enrolment.pool}, until ${until}.`);
        return 0;
      }),
    );

  enrol.command('list', { does: 'List the tokens that are still valid.', examples: ['enrol list'] }).action(
    cli.runs(async ({ api, json, print }) => {
      const { items } = await api.call('GET /enrolments');
      const heads = ['Id', 'Pool', 'Uses left', 'Until'].map((head) => ({ head }));
      const rows = items.map(({ id, pool, usesLeft, expiresAt }) => [
        String(id),
        pool,
        String(usesLeft),
        new Date(expiresAt).toISOString(),
      ]);
      print(json ? JSON.stringify(items) : renderTable(heads, rows));
      return 0;
    }),
  );

  enrol
    .command('remove', {
      does: 'Revoke a token; agents that have enrolled with it stay enrolled.',
      examples: ['enrol remove 3'],
    })
    .argument('<ID>', 'name the token; "enrol list" shows all tokens')
    .action(
      cli.runs(async ({ api, note }, id) => {
        if (!/^\d{1,9}$/.test(id)) throw usageError('name the token; "enrol list" shows all tokens');
        await api.call('DELETE /enrolments/{id}', { params: { id: Number(id) } });
        note(`Token ${id} was revoked.`);
        return 0;
      }),
    );
}
