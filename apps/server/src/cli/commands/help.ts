import type { Command } from '../context.ts';

/** Help over a list of commands. */
export function makeHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => command.usage.length));
  return [
    'mqttlab: experiments on secure MQTT, from the command line.',
    '',
    'Usage: npm run mqttlab -- COMMAND',
    '',
    ...commands.map((command) => `  ${command.usage.padEnd(width)}  ${command.summary}`),
    '',
    '  --server URL   where mqttlab runs (MQTTLAB_URL; else http://127.0.0.1:8080)',
    '  --token TEXT   API token, where login is on (MQTTLAB_TOKEN)',
    '  --json         results as JSON on standard output, progress as JSON lines on standard error',
    '',
    'Exit codes: 0 all right, 1 an experiment or a call failed, 2 wrong usage.',
  ].join('\n');
}
