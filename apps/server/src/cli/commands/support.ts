import type { Command } from '../context.ts';
import { writeOutput } from '../files.ts';

export const support: Command = {
  name: 'support',
  summary: 'Write what whoever helps has to know, without secrets.',
  usages: [
    {
      form: '',
      does: 'Write versions, names of settings, sizes and the end of the log, without secrets.',
      options: [['-o FILE', 'into this file (mqttlab-support.json)']],
    },
  ],
  run: async ({ api, args, note }) => {
    const path = args.output ?? 'mqttlab-support.json';
    await writeOutput(path, await (await api.file('GET /support.json')).text());
    note(`${path}: read it before you hand it on.`);
    return 0;
  },
};
