import type { KnownThings } from './fill-server.ts';

/** Operations that make the server look names up or connect to what a request names. */
export const outgoing =
  '/(devices(/import|/host-key)?|webhooks.*|testbeds/\\{id\\}/external-broker|.*settings)$';

/** Settings of Schemathesis that fill in what there is; numbers begin at 1, where most things of this server are. */
export function parametersOf({ shareTokens, protocolId }: KnownThings): string {
  const known: [path: string, parameter: string, values: readonly (string | number)[]][] = [
    ['^/api/v1/(experiments|runs|webhooks|tokens|views|protocol-runs)/\\{id\\}', 'path.id', [1, 2, 3]],
    ['^/api/v1/testbeds/\\{id\\}', 'path.id', ['local']],
    ['^/api/v1/devices/\\{id\\}', 'path.id', ['local-broker', 'local-publisher']],
    ['^/api/v1/protocols/\\{id\\}', 'path.id', [protocolId, 'rpi-broker']],
    ['^/api/v1/shared?s?/\\{token\\}', 'path.token', shareTokens],
  ];
  return known
    .map(
      ([path, parameter, values]) =>
        `[[operations]]\ninclude-path-regex = '${path}'\nparameters = { "${parameter}" = ${JSON.stringify(values)} }\n`,
    )
    .join('\n');
}
