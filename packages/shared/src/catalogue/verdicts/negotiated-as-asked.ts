import type { RunEvidence } from '../../domain/metric.ts';
import type { Negotiated } from '../../domain/role-result.ts';
import type { TrialSpec } from '../../domain/trial-spec.ts';
import type { VerdictDefinition } from '../../domain/verdict.ts';

export interface NegotiatedRow {
  parameter: string;
  asked: string;
  negotiated: string;
  /** null: nothing was asked, or it cannot be read. */
  equal: boolean | null;
}

const none = '–';

/** Asked beside negotiated for one client; the run page shows these rows. */
export function negotiatedRows(spec: TrialSpec, got: Negotiated): NegotiatedRow[] {
  const secure = spec.security !== 'plain';
  const protocol = got.protocol === null ? 'Plain' : got.protocol.replace('TLSv', 'TLS ');
  const row = (parameter: string, asked: string | null, negotiated: string | null): NegotiatedRow => ({
    parameter,
    asked: asked ?? none,
    negotiated: negotiated ?? none,
    equal: asked === null || negotiated === null ? null : asked === negotiated,
  });
  return [
    row('Protocol', secure ? spec.security : 'Plain', protocol),
    ...(secure
      ? [
          row('Cipher suite', spec.cipherSuite, got.cipherSuite),
          row('Key exchange', spec.group, got.group),
          { ...row('Signature', null, got.signature), asked: 'any' },
          row('Server certificate', spec.certificate, got.certificate),
          row(
            'Session',
            'full handshake',
            got.resumed === null ? null : got.resumed ? 'resumed' : 'full handshake',
          ),
        ]
      : []),
    row('MQTT version', spec.mqttVersion, got.mqttVersion),
    ...(got.grantedQos === null ? [] : [row('QoS granted', String(spec.qos), String(got.grantedQos))]),
  ];
}

function differences({ spec, results }: RunEvidence): {
  differing: string[];
  clients: number;
  equal: number;
} {
  const clients = results.filter((result) => result.role !== 'broker');
  const rows = clients.flatMap((result) =>
    result.negotiated
      ? negotiatedRows(spec, result.negotiated).map((row) => ({ ...row, role: result.role }))
      : [{ parameter: 'connection', asked: 'made', negotiated: 'none', equal: false, role: result.role }],
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
  label: 'Negotiated as asked',
  judge: (evidence) => {
    const { differing, clients, equal } = differences(evidence);
    if (clients === 0) return { status: 'failed', evidence: 'no client reported what it negotiated' };
    return differing.length === 0
      ? { status: 'passed', evidence: `${equal} of ${equal} parameters equal at ${clients} clients` }
      : { status: 'failed', evidence: differing.join('; ') };
  },
};
