import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { start } from './migrations/0001-start.ts';
import { notesAndViews } from './migrations/0002-notes-and-views.ts';
import { externalBrokers } from './migrations/0003-external-brokers.ts';
import { sshDevices } from './migrations/0004-ssh-devices.ts';
import { basesAndMeters } from './migrations/0005-bases-and-meters.ts';
import { testbeds } from './migrations/0006-testbeds.ts';
import { runDevices } from './migrations/0007-run-devices.ts';
import { studies } from './migrations/0008-studies.ts';
import { deviceSettings } from './migrations/0009-device-settings.ts';
import { runTags } from './migrations/0010-run-tags.ts';
import { metersOfDevices } from './migrations/0011-meters-of-devices.ts';
import { webhooks } from './migrations/0012-webhooks.ts';
import { attemptsAndLog } from './migrations/0013-attempts-and-log.ts';
import { definitions } from './migrations/0014-definitions.ts';
import { shareDetails } from './migrations/0015-share-details.ts';
import { studiesByName } from './migrations/0016-studies-by-name.ts';
import { idempotencyKeys } from './migrations/0017-idempotency-keys.ts';
import { accounts } from './migrations/0018-accounts.ts';
import { shareLimits } from './migrations/0019-share-limits.ts';
import { pools } from './migrations/0020-pools.ts';
import { validAttempts } from './migrations/0021-valid-attempts.ts';
import { retention } from './migrations/0022-retention.ts';
import { externalDevices } from './migrations/0023-external-devices.ts';
import { runFiles } from './migrations/0024-run-files.ts';
import { deviceKeys } from './migrations/0025-device-keys.ts';
import { sharePackets } from './migrations/0026-share-packets.ts';
import { revisions } from './migrations/0027-revisions.ts';
import { trustedSigners } from './migrations/0028-trusted-signers.ts';
import { StorageError } from './storage-error.ts';

export interface Migration {
  version: number;
  sql: string;
}

/** In order; a released one is never changed. */
export const migrations: readonly Migration[] = [
  start,
  notesAndViews,
  externalBrokers,
  sshDevices,
  basesAndMeters,
  testbeds,
  runDevices,
  studies,
  deviceSettings,
  runTags,
  metersOfDevices,
  webhooks,
  attemptsAndLog,
  definitions,
  shareDetails,
  studiesByName,
  idempotencyKeys,
  accounts,
  shareLimits,
  pools,
  validAttempts,
  retention,
  externalDevices,
  runFiles,
  deviceKeys,
  sharePackets,
  revisions,
  trustedSigners,
];

/** "mqlb", so that a database of another program is not touched. */
const applicationId = 0x6d716c62;

const versionSchema = z.object({ application_id: z.int(), user_version: z.int(), tables: z.int() });

/** Applies what is missing, each migration in a transaction of its own. Throws StorageError. */
export function migrate(connection: DatabaseSync, all: readonly Migration[] = migrations): void {
  const found = versionSchema.parse(
    connection
      .prepare(
        `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) AS tables
         FROM pragma_application_id(), pragma_user_version()`,
      )
      .get(),
  );
  const newest = all.at(-1)?.version ?? 0;
  if (found.application_id !== applicationId && (found.tables > 0 || found.user_version > 0)) {
    throw new StorageError('foreign', 'The database belongs to another program.', {
      remedy: 'Set MQTTLAB_DATA to another folder.',
    });
  }
  if (found.user_version > newest) {
    throw new StorageError(
      'too-new',
      `The database has version ${found.user_version}; this mqttlab knows versions up to ${newest}.`,
      { remedy: 'Start the newer mqttlab that wrote it, or set MQTTLAB_DATA to another folder.' },
    );
  }
  for (const migration of all.filter(({ version }) => version > found.user_version)) {
    connection.exec('BEGIN IMMEDIATE');
    try {
      connection.exec(migration.sql);
      connection.exec(
        `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migration.version};`,
      );
      connection.exec('COMMIT');
    } catch (error) {
      if (connection.isTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  }
}
