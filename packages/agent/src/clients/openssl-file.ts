import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { makeOpensslConfiguration } from '../tls/connect-options.ts';
import { cipherStringOf, groupListOf, isTls13Suite, needsLevelZero } from '../tls/suites-and-groups.ts';

/**
 * For programs on OpenSSL whose own options can pin neither the suite nor the group; `variables` lead them to the file.
 * `cipherString` is for those that set one of their own.
 */
export async function writeOpensslConfiguration(
  spec: TrialSpec,
  folder: string,
): Promise<{ variables: Record<string, string>; cipherString: string }> {
  const path = join(folder, 'client-openssl.cnf');
  const suite = spec.cipherSuite;
  const cipherString = suite === null ? '' : cipherStringFor(suite);
  const lines = [
    ...(suite === null ? [] : [`CipherString = ${cipherString}`]),
    ...(suite !== null && isTls13Suite(suite) ? [`Ciphersuites = ${suite}`] : []),
  ];
  await writeFile(path, makeOpensslConfiguration(spec, groupListOf(spec), lines), { mode: 0o600 });
  return { variables: { OPENSSL_CONF: path }, cipherString };
}

function cipherStringFor(suite: string): string {
  if (!isTls13Suite(suite)) return cipherStringOf(suite);
  return `DEFAULT:@SECLEVEL=${needsLevelZero(suite) ? 0 : 2}`;
}
