import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';

/**
 * Returns the page about compatibility, with the versions that the programs check.
 *
 * @param {(title: string, about: string, ...parts: string[]) => string} page
 */
export async function writeCompatibility(page) {
  const { databaseVersion } = await import('../apps/server/src/store/database.ts');
  const { bundleVersion, bundleVersions } = await import('../apps/server/src/exchange/bundle-format.ts');
  const { planSchemaVersion } = await import('../packages/shared/src/domain/plans/experiment-draft.ts');
  const { studyFileVersion } = await import('../packages/shared/src/domain/plans/study-file.ts');
  const { viewSchemaVersion } = await import('../packages/shared/src/messages/http.ts');
  const { webhookMessageSchema } = await import('../packages/shared/src/messages/webhooks.ts');
  const { apiPrefix } = await import('../packages/shared/src/messages/address.ts');
  const { agentProtocolVersion } = await import('../packages/shared/src/messages/agent.ts');
  const { definitionsVersion, definitionChanges } = await import(
    '../packages/shared/src/catalogue/definitions.ts'
  );
  const webhookVersion = webhookMessageSchema.shape.schemaVersion.value;
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const node = engines.node.replace('>=', '');
  return page(
    'Compatibility and upgrades',
    'This page describes what works together if server, agents, command line, files and clients have different versions of mqttlab. The programs check these versions themselves, and name both in an error. Versions follow [Semantic Versioning](https://semver.org) from 1.0.0 on. Before 1.0.0 any version can change everything below; data folders of those versions are not supported by 1.0.0.',
    '## Versions of this mqttlab',
    table(
      ['what', 'version', 'where'],
      [
        ['API', `\`${apiPrefix}\``, 'the address of every request'],
        ['plan file', planSchemaVersion, '`schemaVersion`'],
        ['study file', studyFileVersion, '`schemaVersion`'],
        ['research bundle', bundleVersion, '`bundleVersion` in `experiment.json`'],
        ['protocol between server and agent', agentProtocolVersion, 'first message of the agent'],
        ['data folder', databaseVersion, '`user_version` of the database'],
        ['definitions of metrics and verdicts', definitionsVersion, 'every stored run'],
        ['saved view', viewSchemaVersion, '`schemaVersion`'],
        ['webhook message', webhookVersion, '`schemaVersion`'],
      ],
    ),
    '## What works with what',
    table(
      ['combination', 'result'],
      [
        [
          'server and agent of the same version',
          'works. Use this: the pre-flight warns about every agent of another version',
        ],
        [
          'server and agent with the same protocol, but other versions',
          'works, except for settings that the older side does not know. An older agent refuses a run that uses one (`bad-command`), for example a testbed with *Broker ports*',
        ],
        [
          'server and agent with different protocols',
          'the server refuses the agent. Results that are still on the device are kept',
        ],
        [
          'older command line or client, newer server',
          'works: the API only gains endpoints, optional fields of requests and fields of answers',
        ],
        [
          'newer command line or client, older server',
          'works if it sends no field that the server does not know. An unknown field is an error (422) that names it',
        ],
        ['page and server', 'the page comes from the server. Reload pages that were open during an upgrade'],
        ['older plan or study, newer mqttlab', 'opened. Omitted fields take their defaults'],
        [
          'newer plan or study, older mqttlab',
          'refused if `schemaVersion` is higher; otherwise unknown fields are errors that name the field',
        ],
        [
          'older bundle, newer mqttlab',
          'opened. If the definitions differ, its figures are computed again from its evidence',
        ],
        ['newer bundle, older mqttlab', 'refused if `bundleVersion` is higher; see below'],
        ['older data folder, newer server', 'upgraded when the server starts, from 1.0.0 on'],
        [
          'newer data folder, older server',
          'refused: restore the backup of the older version into a new folder',
        ],
      ],
    ),
    '## API',
    [
      `Below \`${apiPrefix}\`, a new version of mqttlab may add endpoints, optional fields of requests, fields of answers, factors, levels, metrics and verdicts. It does not remove or rename them, and does not change the meaning of a field. Such changes would get another prefix.`,
      '',
      '- Ignore fields of answers that you do not know. The page and the command line do so.',
      '- Operation ids of the OpenAPI document, such as `importPlan`, are part of the API: clients can be generated from them.',
      '- Codes of failures (`ports-taken`) and exit codes of the command line are part of the API. Sentences are not.',
      '- Find columns of CSV and Parquet files by name: new versions may add columns.',
      '- Names, units and labels of `/metrics` are treated in the same way.',
    ].join('\n'),
    '## Plans and studies',
    `A file states its \`schemaVersion\` (${planSchemaVersion} for plans, ${studyFileVersion} for studies). A plan without it is read as the newest; a study needs it. Levels are written as the [factors](factors.md) list them; a level that a testbed does not have is reported by \`plan check\`.`,
    '## Research bundles',
    [
      'A bundle has the earliest version that can hold its content, so that older programs open as many bundles as possible.',
      '',
      table(
        ['`bundleVersion`', 'content'],
        bundleVersions.map((content, index) => [index + 1, content]),
      ),
      '',
      'To open your own experiment in an older mqttlab, clear author, licence and funding under **Settings**, and export it again. Measurements of other tools need an mqttlab that supports version 2.',
    ].join('\n'),
    '## Server and agents',
    'Use the same version for the server and all agents. `npm run mqttlab -- device upgrade NAME` installs the matching agent over SSH; agents of [pools](../how-to/pools.md) are upgraded with their image. Upgrade the server first. Agents send results that were measured during the upgrade when the server is back.',
    '## Definitions of metrics and verdicts',
    [
      'If the definition of a metric or verdict changes, its number is raised. The server then computes the figures of stored runs again, and the page of a run shows what changed. Runs whose series were [removed](../how-to/keeping-data.md#remove-old-series-and-logs) keep their figures. Each run stores the versions of agent, broker, TLS library and kernel.',
      '',
      table(
        ['version', 'change'],
        definitionChanges.map(({ version, what }) => [version, what]),
      ),
    ].join('\n'),
    '## Supported systems',
    table(
      ['part', 'system'],
      [
        [
          'server',
          `Linux on x86-64 or arm64 with Node ${node} or later. Other systems need Node 24, and lack the measurements that need the Linux kernel`,
        ],
        [
          'devices',
          'Linux on x86-64 or arm64 with an SSH server and glibc 2.28 or later. The agent is a systemd service; without systemd it runs under a small supervisor. 32-bit systems are refused',
        ],
        [
          'broker',
          'Mosquitto, or the embedded broker for MQTT 3.1 and 3.1.1; other brokers as an [external broker](../how-to/measure-your-broker.md)',
        ],
        ['browser', 'the page uses ES2022. The test suite runs it in Chromium'],
      ],
    ),
    '## Upgrade',
    '[Install a server](../how-to/install-server.md#upgrade) has the steps. To go back to an older version, restore a backup that the older version wrote.',
  );
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly (string | number)[])[]} rows
 */
function table(head, rows) {
  /** @param {readonly (string | number)[]} cells */
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
