import { notifications } from '@mantine/notifications';
import { carriesMessages } from '@mqttlab/shared/catalogue/workloads';
import { legSpecOf } from '@mqttlab/shared/domain/devices/topology';
import { isCoap } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { NO_VALUE } from '@mqttlab/shared/format/number';
import { IconAlertTriangle, IconCheck, IconCopy, IconMinus } from '@tabler/icons-react';
import { type ReactElement, useMemo, useState } from 'react';
import { Caution } from '../../../ui/chip.tsx';
import { IconButton } from '../../../ui/input/buttons.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { copyText } from '../../share/copy-text.ts';
import { DeviceSwitch } from '../device-switch.tsx';
import { type AskedRow, countEqual, makeAskedRows } from '../models/asked-rows.ts';
import { pickDevice, runDevices } from '../models/run-devices.ts';
import styles from './asked-panel.module.css';

function nothingNegotiated({ treatment: { spec } }: RunDetail): string {
  return isCoap(spec)
    ? 'CoAP over UDP negotiates nothing: a request is sent, a response comes.'
    : 'No client connected, so nothing was negotiated.';
}

/** What was asked of a client's connection beside what came of it. */
export function AskedPanel({ run }: { run: RunDetail }): ReactElement {
  const reported = useMemo(
    () => runDevices(run).filter(({ role, result }) => role !== 'broker' && result.negotiated),
    [run],
  );
  const [chosen, setChosen] = useState<string | null>(null);
  const usual = carriesMessages(run.treatment.spec.workload) ? 'subscriber' : 'publisher';
  const client = pickDevice(reported, chosen, usual);
  const rows = useMemo(() => {
    const got = client?.result.negotiated;
    return got ? makeAskedRows(legSpecOf(run.treatment.spec, client.role), got) : [];
  }, [run, client]);

  const copy = async () => {
    const text = rows.map((row) => [row.parameter, row.asked, row.negotiated].join('\t')).join('\n');
    const copied = await copyText(`Parameter\tAsked\tNegotiated\n${text}`);
    notifications.show({ message: copied ? 'Table copied' : 'This browser does not let the page copy.' });
  };

  return (
    <Panel
      title="Asked and negotiated"
      subtitle={rows.length > 0 ? countEqual(rows) : ''}
      actions={
        client && (
          <>
            <DeviceSwitch label="Client" devices={reported} value={client.key} onChange={setChosen} />
            <IconButton icon={IconCopy} label="Copy as a table" onClick={copy} />
          </>
        )
      }
    >
      {rows.length === 0 ? (
        <EmptyState sentence={nothingNegotiated(run)} />
      ) : (
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Parameter</th>
              <th scope="col">Asked</th>
              <th scope="col">Negotiated</th>
              <th scope="col">
                <span className="visually-hidden">Equal</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.parameter}>
                <th scope="row">{row.parameter}</th>
                <td data-equal={row.equal === true || undefined}>
                  <span className={isCode(row, row.asked) ? 'mono' : undefined}>{row.asked}</span>
                </td>
                <td>
                  <span className={isCode(row, row.negotiated) ? 'mono' : undefined}>{row.negotiated}</span>
                  {row.caution && <Caution reason={row.caution} />}
                </td>
                <td>
                  <Equality row={row} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

/** Suites, groups and addresses, but not the words that stand in their place. */
function isCode(row: AskedRow, text: string): boolean {
  return row.mono && text !== 'any' && text !== NO_VALUE && !text.startsWith('loopback');
}

function Equality({ row }: { row: AskedRow }): ReactElement {
  if (row.equal === true) return <IconCheck className={styles.ok} size={16} stroke={2} aria-label="equal" />;
  if (row.equal === null) {
    return <IconMinus className={styles.none} size={16} stroke={2} aria-label="nothing to compare" />;
  }
  const label = row.isLimit ? 'limited by the other end' : 'different';
  return (
    <IconAlertTriangle
      className={row.isLimit ? styles.warn : styles.bad}
      size={16}
      stroke={2}
      aria-label={label}
    />
  );
}
