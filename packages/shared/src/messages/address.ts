export const apiPrefix = '/api/v1';
/** Browsers connect here with WebSocket; `?after=<id>` resumes behind the last event seen. */
export const liveSocketPath = `${apiPrefix}/live`;

type ParamsIn<Key extends string> = Key extends `${string}{${infer Name}}${infer Rest}`
  ? { [Each in Name]: string | number } & ParamsIn<Rest>
  : unknown;

/** What stands in the place of each {name} of an address. */
export type PathParams<Key extends string> = ParamsIn<Key>;

export interface Place {
  params?: Readonly<Record<string, string | number>> | undefined;
  query?: Readonly<Record<string, unknown>> | undefined;
}

/** "GET /runs/{id}" with id 7 becomes "/api/v1/runs/7"; what is undefined or empty stays out of the query. */
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
