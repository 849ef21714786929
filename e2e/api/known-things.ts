import type { KnownThings } from './fill-server.ts';

/** Operations that make the server resolve names or connect to addresses from a request. */
export const outgoing =
  '/(devices(/import|/host-key)?|webhooks.*|testbeds/\\{id\\}/external-(broker|device)|.*settings)$';

/** Objects that may be deleted while other requests use the first of the kind. */
const spare = 3;

/** Schemathesis settings that insert existing ids. */
export function parametersOf({ shareTokens, studyIds }: KnownThings): string {
  const [readShare, , spareShare] = shareTokens;
  const [readStudy, spareProtocol] = studyIds;
  const numbered = ['experiments', 'runs', 'webhooks', 'tokens', 'accounts', 'views', 'study-runs'];
  return [
    ...numbered.map((name) => reading(`/${name}/\\{id\\}`, 'id', 1)),
    ...numbered.map((name) => removing(`/${name}/{id}`, 'id', spare)),
    reading('/testbeds/\\{id\\}', 'id', 'local'),
    reading('/devices/\\{id\\}', 'id', 'local-broker'),
    reading('/studies/\\{id\\}', 'id', readStudy),
    removing('/studies/{id}', 'id', spareProtocol),
    reading('/shared/\\{token\\}', 'token', readShare),
    removing('/shares/{token}', 'token', spareShare),
    // Only drafts can be changed.
    `[[operations]]\ninclude-name = "PUT /api/v1/experiments/{id}/draft"\nparameters = { "path.id" = 2 }\n`,
  ].join('\n');
}

type Value = string | number | undefined;

function reading(path: string, parameter: string, value: Value): string {
  const which = `include-path-regex = '^/api/v1${path}'\nexclude-method = ["DELETE", "PUT"]`;
  return `[[operations]]\n${which}\nparameters = { "path.${parameter}" = ${JSON.stringify(value)} }\n`;
}

function removing(path: string, parameter: string, value: Value): string {
  const which = `include-name = "DELETE /api/v1${path}"`;
  return `[[operations]]\n${which}\nparameters = { "path.${parameter}" = ${JSON.stringify(value)} }\n`;
}
