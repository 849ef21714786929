import { plural } from '@mqttlab/shared/format/number';
import * as z from 'zod';
import type { Database } from './database.ts';
import { secretUses } from './secret-box.ts';

const nameRow = z.object({ name: z.string() });

/** How to name the rows with each secret, and the required action of the operator. */
const secrets: readonly { use: string; name: string; sentence: (names: string) => string }[] = [
  {
    use: secretUses.brokerPassword,
    name: 'testbed_id',
    sentence: (names) => `Enter the password of the external broker again, on testbed ${names}.`,
  },
  {
    use: secretUses.webhookSecret,
    name: "'#' || id",
    sentence: (names) => `Enter the secret of webhooks again, for ${names}.`,
  },
  {
    use: secretUses.externalDevicePassword,
    name: 'testbed_id',
    sentence: (names) =>
      `Save the device without an agent again and load its new program onto it, on testbed ${names}.`,
  },
];

/**
 * Returns the required actions of an operator after a database was restored without the keys of its data folder, one
 * sentence each. The next start of the server creates new keys.
 */
export function describeLostKeys(database: Database): string[] {
  const namesOf = (sql: string): string[] => database.all(sql).map((row) => nameRow.parse(row).name);
  const sentences = [
    "Browsers, command lines (MQTTLAB_AUTHORITY) and Prometheus must trust the server's new tls/authority.pem, unless it uses MQTTLAB_TLS_CERTIFICATE.",
  ];
  const pooled = namesOf('SELECT name FROM devices WHERE pool IS NOT NULL ORDER BY name');
  if (pooled.length > 0) {
    sentences.push(
      `Agents that pin the old authority need the new tls/authority.pem in the file named by NODE_EXTRA_CA_CERTS: ${listOf(pooled)}.`,
    );
  }
  const overSsh = namesOf(
    'SELECT name FROM devices JOIN ssh_devices ON ssh_devices.device_id = devices.id ORDER BY name',
  );
  if (overSsh.length > 0) {
    sentences.push(
      `The server has a new SSH key. Run "mqttlab device add USER@HOST NAME" again, with the password of the device, for ${listOf(overSsh)}.`,
    );
  }
  for (const { use, name, sentence } of secrets) {
    const [table, column] = use.split('.');
    const names = namesOf(`SELECT ${name} AS name FROM ${table} WHERE ${column} IS NOT NULL ORDER BY 1`);
    if (names.length > 0) sentences.push(sentence(listOf(names)));
  }
  const keyLogs = z
    .object({ count: z.int() })
    .parse(
      database.get(`SELECT count(DISTINCT run_id) AS count FROM run_files WHERE name = 'keys.log'`),
    ).count;
  if (keyLogs > 0) sentences.push(`The TLS key logs of ${plural(keyLogs, 'run')} can no longer be read.`);
  sentences.push('Bundles are signed with a new key from now on.');
  return sentences;
}

function listOf(names: readonly string[]): string {
  const [shown, more] = [names.slice(0, 10), names.length - 10];
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
