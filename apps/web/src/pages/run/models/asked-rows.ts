import { describeSuite } from '@mqttlab/shared/catalogue/ciphers/suites';
import { type NegotiatedRow, negotiatedRows } from '@mqttlab/shared/catalogue/verdicts/negotiated-as-asked';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Negotiated } from '@mqttlab/shared/domain/runs/role-result';
import { formatCount } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';

export interface AskedRow extends NegotiatedRow {
  /** Suites, groups, addresses. */
  mono: boolean;
  /** Differs, but only because the other end set a limit: no verdict fails over it. */
  isLimit?: boolean;
  /** Why what was negotiated belongs into a laboratory only. */
  caution?: string;
}

const monoParameters = ['Cipher suite', 'Key exchange', 'Signature'];

/** Everything that was asked of one client, beside what its connection came to. */
export function makeAskedRows(spec: TrialSpec, got: Negotiated): AskedRow[] {
  const rows = negotiatedRows(spec, got).map((row) => ({
    ...row,
    mono: monoParameters.includes(row.parameter),
    ...cautionOf(row, got),
  }));
  return [
    ...rows,
    ...certificateRows(got),
    ...limitRows(spec, got),
    {
      parameter: 'Link',
      asked: spec.link === 'lo' ? 'loopback (lo)' : spec.link,
      // A share link leaves addresses out.
      negotiated:
        got.localAddress === ''
          ? 'not shown'
          : `${got.localAddress}:${got.localPort} to ${got.remoteAddress}:${got.remotePort}`,
      equal: null,
      mono: true,
    },
  ];
}

function cautionOf({ negotiated }: NegotiatedRow, got: Negotiated): { caution?: string } {
  if (got.cipherSuite === null || negotiated !== got.cipherSuite) return {};
  const { insecure } = describeSuite(got.cipherSuite);
  return insecure === null ? {} : { caution: insecure };
}

function certificateRows(got: Negotiated): AskedRow[] {
  if (got.certificateSubject === null) return [];
  const chain = got.certificateChainLength === null ? '' : `, chain of ${got.certificateChainLength}`;
  return [
    {
      parameter: 'Certificate subject',
      asked: 'any',
      negotiated: `${got.certificateSubject.replaceAll('\n', ', ')}${chain}`,
      equal: null,
      mono: false,
    },
  ];
}

/** Receive Maximum and Maximum Packet Size of CONNACK (MQTT 5 section 3.2.2.3). */
function limitRows(spec: TrialSpec, got: Negotiated): AskedRow[] {
  const rows: AskedRow[] = [];
  if (spec.qos > 0) {
    const limit = got.receiveMaximum;
    const isLimit = limit !== null && limit < spec.window;
    rows.push({
      parameter: 'Messages in flight',
      asked: formatCount(spec.window),
      negotiated:
        limit === null
          ? formatCount(spec.window)
          : isLimit
            ? `${formatCount(limit)}, the broker’s limit`
            : formatCount(limit),
      equal: limit === null ? null : !isLimit,
      mono: false,
      isLimit,
    });
  }
  if (got.maximumPacketBytes !== null) {
    rows.push({
      parameter: 'Largest packet',
      asked: 'any',
      negotiated: formatBytes(got.maximumPacketBytes),
      equal: null,
      mono: false,
    });
  }
  return rows;
}

/** "11 of 12 equal" over the rows that can be compared. */
export function countEqual(rows: readonly AskedRow[]): string {
  const compared = rows.filter((row) => row.equal !== null);
  const equal = compared.filter((row) => row.equal === true).length;
  return `${equal} of ${compared.length} equal`;
}
