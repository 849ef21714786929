import { parseArgs } from 'node:util';
import { LabError } from './lab-error.ts';
import { labPaths } from './lab-paths.ts';
import { type LabInventory, VirtualLab } from './virtual-lab.ts';

const usage = `Usage: npm run lab -- [up|down|show] [--devices N] [--plain] [--name NAME]

  up     starts N virtual Pis (3) and prints their inventory as JSON, and a link that adds them on the page
  down   removes them and everything that belongs to them
  show   prints the inventory again
  --plain  namespaces with one sshd each, without systemd in them`;

const maxDevices = 32;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      devices: { type: 'string', default: '3' },
      plain: { type: 'boolean', default: false },
      name: { type: 'string', default: 'lab' },
      help: { type: 'boolean', default: false },
    },
  });
  const [action = 'up', ...rest] = positionals;
  if (values.help || rest.length > 0 || !['up', 'down', 'show'].includes(action)) {
    console.log(usage);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new LabError(
      'The virtual lab makes network namespaces.',
      'Run it as root on Linux: sudo npm run lab.',
    );
  }
  const paths = labPaths(values.name);
  const found = VirtualLab.find(paths);
  if (action === 'down') {
    await found?.remove();
    console.error(found === null ? 'There is no lab.' : 'The lab was removed.');
    return;
  }
  const onStep = (text: string): void => console.error(text);
  const lab =
    found ?? (action === 'up' ? await VirtualLab.start(paths, { ...optionsOf(values), onStep }) : null);
  if (lab === null) throw new LabError('There is no lab.', 'Start one: npm run lab.');
  const inventory = lab.inventory();
  console.log(JSON.stringify(inventory, null, 2));
  console.error(
    [
      'To add these devices with one click, open',
      makeImportLink(inventory),
      `or type: npm run -s lab -- show${values.name === 'lab' ? '' : ` --name ${values.name}`} | npm run -s mqttlab -- device import -`,
    ].join('\n'),
  );
}

/** The inventory is in the fragment (after #), which browsers do not send. */
function makeImportLink(inventory: LabInventory): string {
  const server = process.env.MQTTLAB_URL ?? `http://127.0.0.1:${process.env.PORT ?? '8080'}`;
  const packed = Buffer.from(JSON.stringify(inventory)).toString('base64url');
  return `${server}/devices#inventory=${packed}`;
}

function optionsOf({ devices, plain }: { devices: string; plain: boolean }) {
  const count = Number(devices);
  if (!Number.isInteger(count) || count < 1 || count > maxDevices) {
    throw new LabError(`"${devices}" is not a valid number of devices.`, `Choose 1 to ${maxDevices}.`);
  }
  return { devices: count, plain };
}

try {
  await main();
} catch (error) {
  console.error(`mqttlab: ${error instanceof Error ? error.message.trim() : String(error)}`);
  process.exitCode = 1;
}
