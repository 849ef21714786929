import { describeResolution } from '@mqttlab/shared/analysis/resolution';
import { factors } from '@mqttlab/shared/catalogue/factors';
import { describeIssue, type Issue } from '@mqttlab/shared/domain/issue';
import { workloadKinds } from '@mqttlab/shared/domain/plans/workload';
import { plural } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { FilledPlan } from '@mqttlab/shared/messages/http';
import { type Cli, type CommandContext, usageError } from '../cli.ts';
import { readText, writeOutput } from '../files.ts';
import { ask, formatDuration, wrapText } from '../terminal.ts';

/** Answers to the questions of "plan init", in the form used on the command line. */
interface Answers {
  vary: readonly string[];
  workload?: string | undefined;
  measure?: string | undefined;
  repetitions?: string | undefined;
  response?: string | undefined;
  testbed?: string | undefined;
}

export function addPlan(cli: Cli): void {
  const plan = cli.group('plan', {
    does: 'Write or check a plan file.',
    refusal: 'plan needs "check" or "init"',
  });

  plan
    .command('check', {
      does: 'Print the plan with all defaults, its runs, their duration, and the differences they can resolve.',
      examples: ['plan check examples/tls-cost.yaml'],
    })
    .argument('<PLAN.yaml>', 'plan check needs a plan file (YAML or JSON)')
    .action(
      cli.runs(async ({ api, columns, json, print }, file) => {
        const filled = await api.call('POST /plan/read', { body: { text: await readText(file) } });
        if (json) print(JSON.stringify(filled));
        else {
          print(filled.text);
          for (const line of describePlan(filled, columns)) print(line);
        }
        return filled.check.issues.length === 0 ? 0 : 1;
      }),
    );

  plan
    .command('init', {
      does: 'Write a commented plan from a few questions; each option answers one question.',
      form: '[-o PLAN.yaml]',
      examples: ['plan init --vary security=plain,tls1.3 --vary qos=0,1 -o plan.yaml'],
    })
    .option(
      '--vary <FACTOR=LEVEL,...>',
      'a factor to vary; repeat the option for each factor: --vary security=plain,tls1.3',
      (value: string, before: string[]) => [...before, value],
      [],
    )
    .option('--workload <KIND>', workloadKinds.join(', '))
    .option('--measure <TIME>', 'measuring time per run, for example 10s')
    .option('--repetitions <N>', 'runs of each treatment')
    .option('--response <METRIC>', 'the metric of interest: latency.p50, wire.perMessage, ...')
    .option('--testbed <ID>', 'the testbed (default: this machine)')
    .option('-o, --output <FILE>', 'write to a new file (default: standard output)')
    .action(
      cli.runs(async (context, { output, ...given }) => {
        const { api, columns, print, note } = context;
        const written = await writePlan(context, given);
        const filled = await api.call('POST /plan/read', { body: { text: JSON.stringify(written) } });
        const command = `# npm run mqttlab -- run ${output ?? 'plan.yaml'}\n`;
        const end = filled.text.indexOf('\n') + 1;
        const text = filled.text.slice(0, end) + command + filled.text.slice(end);
        if (output === undefined) print(text.trimEnd());
        else await writeOutput(output, text, { isNew: true });
        for (const line of describePlan(filled, columns)) note(line);
        return 0;
      }),
    );
}

/** Returns a short plan from the options. On a terminal, asks for missing options unless --vary is given. */
async function writePlan(context: CommandContext, given: Answers): Promise<Record<string, unknown>> {
  const { note, columns } = context;
  const isAsked = process.stdin.isTTY === true && given.vary.length === 0;
  const vary = isAsked ? await askFactors(context, given.testbed) : given.vary;
  if (vary.length === 0) throw usageError(`--vary: ${howToVary}`);
  const orAsk = async (answer: string | undefined, question: string) => {
    if (answer !== undefined || !isAsked) return answer;
    return (await ask(context, { text: `${question}: `, otherwise: '' })) || undefined;
  };
  if (isAsked) for (const line of wrapText(`Workloads: ${workloadKinds.join(', ')}.`, columns)) note(line);
  const kind = await orAsk(given.workload, 'Workload [stream]');
  const measure = await orAsk(given.measure, 'Measuring time per run [20s]');
  const repetitions = await orAsk(given.repetitions, 'Repetitions [5]');
  const response = await orAsk(given.response, 'Metric of interest [latency.p50]');
  const workload = { ...(kind !== undefined && { kind }), ...(measure !== undefined && { measure }) };
  return {
    factors: Object.fromEntries(vary.map(readVaried)),
    ...(Object.keys(workload).length > 0 && { workload }),
    ...(repetitions !== undefined && { repetitions: Number(repetitions) }),
    ...(response !== undefined && { response }),
    ...(given.testbed !== undefined && { testbed: given.testbed }),
  };
}

const howToVary = 'specify what to vary, for example --vary security=plain,tls1.3 --vary qos=0,1';

function readVaried(text: string): [string, string[]] {
  const [name = '', levels = ''] = text.split('=');
  if (name.trim() === '' || levels.trim() === '') throw usageError(`--vary: "${text}"; ${howToVary}`);
  return [name.trim(), levels.split(',').map((level) => level.trim())];
}

/** Asks for factors and their levels. Returns them in the form that --vary accepts. */
async function askFactors(context: CommandContext, testbedId: string | undefined): Promise<string[]> {
  const { api, note, columns } = context;
  const query = testbedId === undefined ? {} : { testbedId };
  const { factors: possible } = await api.call('GET /catalogue', { query });
  const idsFor = (audience: 'everyone' | 'expert') =>
    factors.flatMap((factor) => (factor.audience === audience ? [factor.id] : [])).join(', ');
  const noteWrapped = (text: string) => {
    for (const line of wrapText(text, columns)) note(line);
  };
  noteWrapped(`Factors: ${idsFor('everyone')}; for experts: ${idsFor('expert')}.`);
  const chosen = await ask(context, { text: 'Factors to vary, separated by commas: ', otherwise: '' });
  const vary: string[] = [];
  for (const name of chosen
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')) {
    const factor = possible.find(({ id }) => id === name);
    const levels = factor?.levels.filter(({ refusal }) => refusal === null).map(({ value }) => value) ?? [];
    if (factor) noteWrapped(`${factor.help} ${levels.join(', ')}`);
    vary.push(`${name}=${await ask(context, { text: `Levels of ${name}: `, otherwise: '' })}`);
  }
  return vary;
}

/** Returns one line for each threshold that the repetitions probably cannot resolve. */
export function describeWarnings(warnings: readonly Issue[]): string[] {
  return warnings.map((warning) => `Warning: ${describeIssue(warning)}`);
}

/**
 * Describes the runs of a plan, their duration, impossible combinations and the smallest detectable
 * differences.
 */
function describePlan({ draft, check: found }: FilledPlan, columns: number): string[] {
  const { issues, warnings, treatments, excluded, estimate, resolution, earlier } = found;
  const { repetitions, response } = draft;
  const lines = [
    ...issues.map(describeIssue),
    ...(excluded.length > 0 ? [`${plural(excluded.length, 'combination')} left out:`] : []),
    ...excluded.map(({ label, reasons }) => `  ${label}: ${reasons[0]?.reason ?? ''}`),
    ...(estimate
      ? [
          `${plural(estimate.runs, 'run')}: ${plural(estimate.treatments, 'treatment')} x ${plural(repetitions, 'repetition')}.`,
          `About ${formatDuration(estimate.durationMs)}, ${formatBytes(estimate.dataBytes)} of data (${estimate.source === 'observed' ? 'from earlier runs on this testbed' : 'a rough estimate: this testbed has no earlier runs'}).`,
          describeResolution({
            resolution,
            earlier,
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
