import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { type LoadFailureCode, makeLoadFailure } from '../base/load-failures.ts';
import { reasonOf } from '../runs/run-failure.ts';

/** What the last words of mosquitto_pub or mosquitto_sub mean. */
export function clientFailure(why: string): RoleFailure {
  const codes: readonly [RegExp, LoadFailureCode][] = [
    [/TLS|certificate|protocol error/i, 'tls-handshake'],
    [/not authori[sz]ed|bad user name|(unacceptable|unsupported) protocol|denied/i, 'connack-refused'],
    [/refused|unreachable|lookup/i, 'connection-refused'],
  ];
  const code = codes.find(([pattern]) => pattern.test(why))?.[1] ?? 'connection-lost';
  return makeLoadFailure(code, `A mosquitto client did not connect: ${reasonOf(why)}`);
}
