import { cipherSuitesRemarks } from './cipher-suites/remarks.ts';
import { hecs4mqttRemarks } from './hecs4mqtt/remarks.ts';
import type { Remarks } from './remarks-type.ts';
import { rpiBrokerRemarks } from './rpi-broker/remarks.ts';
import { stabilityAwareRemarks } from './stability-aware/remarks.ts';
import { v2xTlsRemarks } from './v2x-tls/remarks.ts';

const byStudy: Readonly<Record<string, Readonly<Record<string, Remarks>>>> = {
  'rpi-broker': rpiBrokerRemarks,
  'cipher-suites': cipherSuitesRemarks,
  'v2x-tls': v2xTlsRemarks,
  'stability-aware': stabilityAwareRemarks,
  hecs4mqtt: hecs4mqttRemarks,
};

/** null for what is no part of a published study. */
export function remarksOn(studyId: string, partId: string): Remarks | null {
  return byStudy[studyId]?.[partId] ?? null;
}
