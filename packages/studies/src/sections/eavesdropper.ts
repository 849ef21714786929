import type { DocumentBuilder } from '@mqttlab/shared/figures/document/blocks';
import { capturedTable, seenTable } from '@mqttlab/shared/figures/document/evidence-tables';
import { measuredTable, type NameOf, namerOf, type Quantity } from './measured.ts';
import type { StudyInput, StudySection } from './study-input.ts';

const quantities: readonly Quantity[] = [
  { head: 'On the wire', unit: 'B', metric: 'wire.perMessage' },
  { head: 'Latency', unit: 'ms', metric: 'latency.mean' },
];

const nameTreatment = (input: StudyInput): NameOf =>
  namerOf(input, ['topology', 'security', 'payloadCipher'], ['security']);

/** What packets show to somebody between the devices, configuration by configuration. */
export const eavesdropper: StudySection = (input, builder) => {
  const nameOf = nameTreatment(input);
  builder.table('What travels for each message', measuredTable(input, { nameOf, quantities }));
  addCaptured(input, builder, nameOf);
};

function addCaptured(input: StudyInput, builder: DocumentBuilder, nameTreatmentOf: NameOf): void {
  const captured = input.report?.captured ?? [];
  if (captured.length === 0) {
    builder.note(
      input.report
        ? 'Gap: no run that counts captured packets: the device of the broker refuses it, or has neither tcpdump nor dumpcap.'
        : 'What the packets show is being worked out.',
    );
    return;
  }
  const names = new Map(input.treatments.map((one) => [one.treatment.key, nameTreatmentOf(one)]));
  const nameOf = (key: string) => names.get(key) ?? key;
  builder.table('What an eavesdropper sees', seenTable(captured, nameOf));
  builder.table(
    'What stood in the packets of the first run of each configuration; the page of that run has the capture to open in Wireshark',
    capturedTable(captured, nameOf),
  );
  builder.heading('Agreement and difference');
  const isRead = ({ seen }: (typeof captured)[number]) =>
    seen.some(({ label, exposed }) => label === 'Payloads' && exposed === true);
  const [read, hidden] = [captured.filter(isRead), captured.filter((one) => !isRead(one))];
  const places = (found: typeof captured) =>
    found.map(({ treatment, role }) => `${nameOf(treatment)} (${role})`).join('; ') || 'none';
  builder.list([
    `Payloads could be read in: ${places(read)}.`,
    `Payloads could not be read in: ${places(hidden)}.`,
    'Whatever the configuration, the length of messages and the time between them could be seen.',
  ]);
}
