import { cipherSuitesRemarks } from './remarks/cipher-suites.ts';
import { hecs4mqttRemarks } from './remarks/hecs4mqtt.ts';
import type { Remarks } from './remarks/remarks.ts';
import { rpiBrokerRemarks } from './remarks/rpi-broker.ts';
import { stabilityAwareRemarks } from './remarks/stability-aware.ts';
import { v2xTlsRemarks } from './remarks/v2x-tls.ts';

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
