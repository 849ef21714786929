import { columnsOf } from '@mqttlab/charts/table';
import { describeSuite } from '@mqttlab/shared/catalogue/ciphers/suites';
import { type NegotiatedRow, negotiatedRows } from '@mqttlab/shared/catalogue/verdicts/negotiated-as-asked';
import { carriesMessages } from '@mqttlab/shared/catalogue/workloads';
import { legSpecOf } from '@mqttlab/shared/domain/devices/device';
import { isCoap, type TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Negotiated } from '@mqttlab/shared/domain/runs/role-result';
import { type RunDetail, runName } from '@mqttlab/shared/domain/runs/run';
import { formatCount, NO_VALUE } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import { IconAlertTriangle, IconCheck, IconMinus } from '@tabler/icons-react';
import { type ReactElement, useMemo } from 'react';
import { CopyTableMenu } from '../../../charts/panels/copy-table-menu.tsx';
import { Caution } from '../../../ui/chip.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import styles from './panels.module.css';
import { runDevices, useDevice } from './run-devices.tsx';

function nothingNegotiated({ treatment: { spec } }: RunDetail): string {
  return isCoap(spec)
    ? 'CoAP over UDP negotiates nothing: each request gets a response.'
    : 'No client connected, so nothing was negotiated.';
}

/** Requested and negotiated parameters of a client's connection. */
export function AskedPanel({ run }: { run: RunDetail }): ReactElement {
  const reported = useMemo(
    () => runDevices(run).filter(({ role, result }) => role !== 'broker' && result.negotiated),
    [run],
  );
  const usual = carriesMessages(run.treatment.spec.workload) ? 'subscriber' : 'publisher';
  const { shown: client, deviceSwitch } = useDevice(reported, usual, 'Client');
  const rows = useMemo(() => {
    const got = client?.result.negotiated;
    return got ? makeAskedRows(legSpecOf(run.treatment.spec, client.role), got) : [];
  }, [run, client]);

  const table = {
    columns: columnsOf('Parameter', 'Requested', 'Negotiated'),
    rows: rows.map(({ parameter, asked, negotiated }) => [parameter, asked, negotiated]),
  };

  return (
    <Panel
      title="Requested and negotiated"
      subtitle={rows.length > 0 ? countEqual(rows) : ''}
      actions={
        client && (
          <>
            {deviceSwitch}
            <CopyTableMenu table={table} caption={`Requested and negotiated, ${runName(run)}`} />
          </>
        )
      }
    >
      {rows.length === 0 ? (
        <EmptyState sentence={nothingNegotiated(run)} />
      ) : (
        <table className={styles.askedTable}>
          <thead>
            <tr>
              <th scope="col">Parameter</th>
              <th scope="col">Requested</th>
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

/** Returns true for suites, groups and addresses; false for placeholders. */
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

interface AskedRow extends NegotiatedRow {
  /** True for suites, groups and addresses, which are shown in monospace. */
  mono: boolean;
  /** True if the value differs only because the other end set a limit, which fails no verdict. */
  isLimit?: boolean;
  /** Why the negotiated value is suitable for laboratories only. */
  caution?: string;
}

const monoParameters = ['Cipher suite', 'Key exchange', 'Signature'];

/** Returns all requested parameters of a client next to the negotiated ones. */
export function makeAskedRows(spec: TrialSpec, got: Negotiated): AskedRow[] {
  const rows: AskedRow[] = negotiatedRows(spec, got).map((row) => ({
    ...row,
    mono: monoParameters.includes(row.parameter),
    ...cautionOf(row, got),
  }));
  const add = (parameter: string, negotiated: string, row: Partial<AskedRow> = {}) =>
    rows.push({ parameter, asked: 'any', negotiated, equal: null, mono: false, ...row });
  if (got.certificateSubject !== null) {
    const chain = got.certificateChainLength === null ? '' : `, chain of ${got.certificateChainLength}`;
    add('Certificate subject', `${got.certificateSubject.replaceAll('\n', ', ')}${chain}`);
  }
  // Receive Maximum and Maximum Packet Size of CONNACK (MQTT 5 section 3.2.2.3).
  if (spec.qos > 0) {
    const limit = got.receiveMaximum;
    const isLimit = limit !== null && limit < spec.window;
    add(
      'Messages in flight',
      `${formatCount(limit ?? spec.window)}${isLimit ? ', the broker’s limit' : ''}`,
      { asked: formatCount(spec.window), equal: limit === null ? null : !isLimit, isLimit },
    );
  }
  if (got.maximumPacketBytes !== null) add('Largest packet', formatBytes(got.maximumPacketBytes));
  const { localAddress, localPort, remoteAddress, remotePort } = got;
  // Share links omit addresses.
  const addresses = `${localAddress}:${localPort} to ${remoteAddress}:${remotePort}`;
  add('Link', localAddress === '' ? 'not shown' : addresses, {
    asked: spec.link === 'lo' ? 'loopback (lo)' : spec.link,
    mono: true,
  });
  return rows;
}

function cautionOf({ negotiated }: NegotiatedRow, got: Negotiated): { caution?: string } {
  if (got.cipherSuite === null || negotiated !== got.cipherSuite) return {};
  const { insecure } = describeSuite(got.cipherSuite);
  return insecure === null ? {} : { caution: insecure };
}

/** Returns "11 of 12 equal", counted over the rows that can be compared. */
export function countEqual(rows: readonly AskedRow[]): string {
  const compared = rows.filter((row) => row.equal !== null);
  const equal = compared.filter((row) => row.equal === true).length;
  return `${equal} of ${compared.length} equal`;
}
