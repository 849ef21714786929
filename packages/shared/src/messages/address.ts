export const apiPrefix = '/api/v1';
/** WebSocket path for browsers; `?after=<id>` resumes after the last received event. */
export const liveSocketPath = `${apiPrefix}/live`;

type ParamsIn<Key extends string> = Key extends `${string}{${infer Name}}${infer Rest}`
  ? { [Each in Name]: string | number } & ParamsIn<Rest>
  : unknown;

/** Value for each {name} in a path. */
export type PathParams<Key extends string> = ParamsIn<Key>;

export interface Place {
  params?: Readonly<Record<string, string | number>> | undefined;
  query?: Readonly<Record<string, unknown>> | undefined;
}

/** Builds a path: "GET /runs/{id}" with id 7 gives "/api/v1/runs/7". Undefined and empty query values are omitted. */
export function addressOf(key: string, { params = {}, query = {} }: Place = {}): string {
  const path = key
    .slice(key.indexOf('/'))
    .replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(String(params[name] ?? '')));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return `${apiPrefix}${path}${search.size === 0 ? '' : `?${search}`}`;
}
