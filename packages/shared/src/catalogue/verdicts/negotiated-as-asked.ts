import { isBrokerRole, legSpecOf } from '../../domain/devices/device.ts';
import { isCoap, type TrialSpec } from '../../domain/plans/trial-spec.ts';
import type { Negotiated } from '../../domain/runs/role-result.ts';
import type { RunEvidence, VerdictDefinition } from '../../domain/runs/verdict.ts';
import { nameOf } from '../evidence/evidence.ts';

export interface NegotiatedRow {
  parameter: string;
  asked: string;
  negotiated: string;
  /** null if no value was requested or the negotiated value is unknown. */
  equal: boolean | null;
}

const none = '–';

/** Either value can be null: not requested, or unknown. */
function row(parameter: string, asked: string | null, negotiated: string | null): NegotiatedRow {
  return {
    parameter,
    asked: asked ?? none,
    negotiated: negotiated ?? none,
    equal: asked === null || negotiated === null ? null : asked === negotiated,
  };
}

/** Returns the requested and negotiated parameters of one client, as rows for the run page. */
export function negotiatedRows(spec: TrialSpec, got: Negotiated): NegotiatedRow[] {
  if (isCoap(spec)) return [];
  const secure = spec.security !== 'plain';
  const protocol = got.protocol === null ? 'Plain' : got.protocol.replace('TLSv', 'TLS ');
  return [
    row('Protocol', secure ? spec.security : 'Plain', protocol),
    ...(secure
      ? [
          row('Cipher suite', spec.cipherSuite, got.cipherSuite),
          row('Key exchange', spec.group, got.group),
          { ...row('Signature', null, got.signature), asked: 'any' },
          ...certificateRows(spec, got),
        ]
      : []),
    row('MQTT version', spec.mqttVersion, got.mqttVersion),
    ...(got.grantedQos === null ? [] : [row('QoS granted', String(spec.qos), String(got.grantedQos))]),
  ];
}

/**
 * A resumed handshake contains no certificates; the connection that received the ticket was checked instead.
 */
function certificateRows(spec: TrialSpec, got: Negotiated): NegotiatedRow[] {
  const resumed = got.resumed === true;
  // A client that cannot read the broker's certificate cannot read its own certificate either.
  const clientCertificate = got.clientCertificate ?? (got.certificate === null ? null : 'none');
  return [
    row('Server certificate', spec.certificate, got.certificate),
    row('Certificate chain', words(spec.chainLength), words(got.certificateChainLength)),
    row(
      'Client certificate',
      spec.clientCertificate === 'mutual TLS' ? spec.certificate : spec.clientCertificate,
      resumed ? null : clientCertificate,
    ),
    row(
      'Session',
      spec.session === 'resumed' ? 'resumed' : 'full handshake',
      got.resumed === null ? null : resumed ? 'resumed' : 'full handshake',
    ),
  ];
}

function words(count: number | null): string | null {
  return count === null ? null : `${count} sent`;
}

function differences({ spec, results }: RunEvidence): {
  differing: string[];
  clients: number;
  equal: number;
} {
  const clients = results.filter(({ role }) => !isBrokerRole(role));
  const rows = clients.flatMap((result) =>
    result.negotiated
      ? [
          ...negotiatedRows(legSpecOf(spec, result.role), result.negotiated),
          ...(result.upstream ? negotiatedRows(spec, result.upstream) : []),
        ].map((row) => ({ ...row, role: nameOf(result) }))
      : [{ parameter: 'connection', asked: 'made', negotiated: 'none', equal: false, role: nameOf(result) }],
  );
  return {
    differing: rows
      .filter((row) => row.equal === false)
      .map((row) => `${row.role}: ${row.parameter} ${row.negotiated} instead of ${row.asked}`),
    clients: clients.length,
    equal: rows.filter((row) => row.equal === true).length,
  };
}

export const negotiatedAsAsked: VerdictDefinition = {
  id: 'negotiated-as-asked',
  label: 'Negotiated as requested',
  fault: 'Not negotiated as requested',
  remedy: 'Check the negotiated values on the run page, then change the plan or the device.',
  judge: (evidence) => {
    if (isCoap(evidence.spec)) {
      return { status: 'not applicable', evidence: 'CoAP over UDP negotiates no parameters' };
    }
    const { differing, clients, equal } = differences(evidence);
    if (clients === 0) return { status: 'failed', evidence: 'no client reported its negotiated parameters' };
    return differing.length === 0
      ? { status: 'passed', evidence: `${equal} of ${equal} parameters match on ${clients} clients` }
      : { status: 'failed', evidence: differing.join('; ') };
  },
};
