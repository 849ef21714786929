import type * as z from 'zod';
import type { PathParams } from './address.ts';
import { accessEndpoints } from './api/access.ts';
import { deviceEndpoints } from './api/devices.ts';
import { experimentEndpoints } from './api/experiments.ts';
import { sharingEndpoints } from './api/sharing.ts';

/** All API endpoints. The server, its OpenAPI document, the web page and the command line use this table. */
export const endpoints = {
  ...experimentEndpoints,
  ...deviceEndpoints,
  ...sharingEndpoints,
  ...accessEndpoints,
};

export type Endpoints = typeof endpoints;
export type EndpointKey = keyof Endpoints;

type Parsed<Part> = Part extends z.ZodType ? z.output<Part> : undefined;
type Sent<Part> = Part extends z.ZodType ? z.input<Part> : undefined;
type PartOf<Key extends EndpointKey, Name extends string> = Name extends keyof Endpoints[Key]
  ? Endpoints[Key][Name]
  : undefined;

/** Input of a server handler. */
export interface Asked<Key extends EndpointKey> {
  params: Parsed<PartOf<Key, 'params'>>;
  query: Parsed<PartOf<Key, 'query'>>;
  headers: Parsed<PartOf<Key, 'headers'>>;
  body: Parsed<PartOf<Key, 'body'>>;
}

/** Response for a caller; undefined without content. */
export type Answer<Key extends EndpointKey> = Parsed<PartOf<Key, 'response'>>;

/** Request of a caller. */
export type Call<Key extends EndpointKey> = (unknown extends PathParams<Key>
  ? { params?: undefined }
  : { params: PathParams<Key> }) &
  (PartOf<Key, 'body'> extends z.ZodType ? { body: Sent<PartOf<Key, 'body'>> } : { body?: undefined }) & {
    query?: Readonly<Record<string, string | number | boolean | undefined>>;
  };
