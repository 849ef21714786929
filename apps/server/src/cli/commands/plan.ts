import { describeResolution } from '@mqttlab/shared/analysis/resolution';
import { factors } from '@mqttlab/shared/catalogue/factors';
import { describeIssue, type Issue } from '@mqttlab/shared/domain/issue';
import { workloadKinds } from '@mqttlab/shared/domain/plans/trial-spec';
import { plural } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { FilledPlan } from '@mqttlab/shared/messages/http';
import { UsageError } from '../arguments.ts';
import { ask } from '../ask.ts';
import type { Command, CommandContext, ExitCode } from '../context.ts';
import { readText, writeOutput } from '../files.ts';
import { formatDuration, wrapText } from '../table.ts';

export const plan: Command = {
  name: 'plan',
  summary: 'Write a plan file, or see what one would become.',
  usages: [
    {
      form: 'check PLAN.yaml',
      does: 'Print the plan with all that it leaves out, its runs, their time, and what they can resolve.',
    },
    {
      form: 'init [-o PLAN.yaml]',
      does: 'Write a commented plan from a few questions; each option answers one of them.',
      options: [
        ['--vary FACTOR=LEVEL,...', 'what to vary, once for each factor: --vary security=plain,tls1.3'],
        ['--workload KIND', workloadKinds.join(', ')],
        ['--measure TIME', 'of each run: 10s'],
        ['--repetitions N', 'of each treatment'],
        ['--response METRIC', 'what is asked about: latency.p50, wire.perMessage, ...'],
        ['--testbed ID', 'where it runs; this machine where nothing is said'],
        ['-o FILE', 'a new file; else to standard output'],
      ],
    },
  ],
  run: (context) => {
    const [action, file] = context.args.positionals;
    if (action === 'check') return check(context, file);
    if (action === 'init') return init(context);
    throw new UsageError('plan needs "check" or "init"');
  },
};

async function check(context: CommandContext, file: string | undefined): Promise<ExitCode> {
  if (!file) throw new UsageError('plan check needs a plan file (YAML or JSON)');
  const filled = await context.api.call('POST /plan/read', { body: { text: await readText(file) } });
  if (context.args.json) context.print(JSON.stringify(filled));
  else {
    context.print(filled.text);
    for (const line of whatItBecomes(filled, context.columns)) context.print(line);
  }
  return filled.check.issues.length === 0 ? 0 : 1;
}

async function init(context: CommandContext): Promise<ExitCode> {
  const { args, api, columns, print, note } = context;
  const written = await writtenFrom(context);
  const filled = await api.call('POST /plan/read', { body: { text: JSON.stringify(written) } });
  const first = `# npm run mqttlab -- run ${args.output ?? 'plan.yaml'}\n`;
  const end = filled.text.indexOf('\n') + 1;
  const text = filled.text.slice(0, end) + first + filled.text.slice(end);
  if (args.output === null) print(text.trimEnd());
  else await writeOutput(args.output, text, { isNew: true });
  for (const line of whatItBecomes(filled, columns)) note(line);
  return 0;
}

/** As one would write it by hand: what the options say, and at a terminal what is answered. */
async function writtenFrom(context: CommandContext): Promise<Record<string, unknown>> {
  const { args, note, columns } = context;
  const isAsked = process.stdin.isTTY === true && args.vary.length === 0;
  const vary = isAsked ? await askFactors(context) : args.vary;
  if (vary.length === 0) throw new UsageError(`--vary: ${howToVary}`);
  const orAsk = async (given: string | null, question: string) => {
    if (given !== null || !isAsked) return given;
    return (await ask(context, { text: `${question}: `, otherwise: '' })) || null;
  };
  if (isAsked) for (const line of wrapText(`Workloads: ${workloadKinds.join(', ')}.`, columns)) note(line);
  const kind = await orAsk(args.workload, 'Workload [stream]');
  const measure = await orAsk(args.measure, 'Time to measure in each run [20s]');
  const repetitions = await orAsk(args.repetitions, 'Repetitions [5]');
  const response = await orAsk(args.response, 'Metric that is asked about [latency.p50]');
  const workload = { ...(kind === null ? {} : { kind }), ...(measure === null ? {} : { measure }) };
  return {
    factors: Object.fromEntries(vary.map(readVaried)),
    ...(Object.keys(workload).length > 0 ? { workload } : {}),
    ...(repetitions === null ? {} : { repetitions: Number(repetitions) }),
    ...(response === null ? {} : { response }),
    ...(args.testbed === null ? {} : { testbed: args.testbed }),
  };
}

const howToVary = 'say what to vary, for example --vary security=plain,tls1.3 --vary qos=0,1';

function readVaried(text: string): [string, string[]] {
  const [name = '', levels = ''] = text.split('=');
  if (name.trim() === '' || levels.trim() === '') throw new UsageError(`--vary: "${text}"; ${howToVary}`);
  return [name.trim(), levels.split(',').map((level) => level.trim())];
}

/** Which factors, and which levels of each. */
async function askFactors(context: CommandContext): Promise<string[]> {
  const { api, args, note, columns } = context;
  const query = args.testbed === null ? {} : { testbedId: args.testbed };
  const { factors: possible } = await api.call('GET /catalogue', { query });
  const names = factors.filter(({ audience }) => audience === 'everyone').map(({ id }) => id);
  const say = (text: string) => {
    for (const line of wrapText(text, columns)) note(line);
  };
  say(
    `Factors: ${names.join(', ')}; for experts: ${factors.flatMap(({ id, audience }) => (audience === 'expert' ? [id] : [])).join(', ')}.`,
  );
  const chosen = await ask(context, { text: 'What to vary, with commas between: ', otherwise: '' });
  const asked: string[] = [];
  for (const name of chosen
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')) {
    const factor = possible.find(({ id }) => id === name);
    const levels = factor?.levels.filter(({ refusal }) => refusal === null).map(({ value }) => value) ?? [];
    if (factor) say(`${factor.help} ${levels.join(', ')}`);
    asked.push(`${name}=${await ask(context, { text: `Levels of ${name}: `, otherwise: '' })}`);
  }
  return asked;
}

/** One line for each threshold that the repetitions probably cannot resolve. */
export function describeWarnings(warnings: readonly Issue[]): string[] {
  return warnings.map((warning) => `Warning: ${describeIssue(warning)}`);
}

/** Runs, time, what is impossible and what the repetitions can show. */
function whatItBecomes({ draft, check: found }: FilledPlan, columns: number): string[] {
  const { issues, warnings, treatments, excluded, estimate, resolution } = found;
  const { repetitions, response } = draft;
  const lines = [
    ...issues.map(describeIssue),
    ...(excluded.length > 0 ? [`${plural(excluded.length, 'combination')} left out:`] : []),
    ...excluded.map(({ label, reasons }) => `  ${label}: ${reasons[0]?.reason ?? ''}`),
    ...(estimate
      ? [
          `${plural(estimate.runs, 'run')}: ${plural(estimate.treatments, 'treatment')} x ${plural(repetitions, 'repetition')}.`,
          `About ${formatDuration(estimate.durationMs)}, ${formatBytes(estimate.dataBytes)} of data (${estimate.source === 'observed' ? 'from earlier runs of this testbed' : 'a guess: this testbed has made no runs yet'}).`,
          describeResolution({
            resolution,
            repetitions,
            treatments: treatments.length,
            response,
            workload: draft.workload.kind,
          }),
        ]
      : []),
    ...describeWarnings(warnings),
  ];
  return lines.flatMap((line) => wrapText(line, columns));
}
