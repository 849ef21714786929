import * as z from 'zod';
import * as access from '../access.ts';
import { authorityRotationSchema } from '../tls.ts';
import { administrator, csv, itemsOf, numbered, open, pageOf, viewer } from './endpoint.ts';

/** Who is logged in, who may do what, and what was changed by whom. */
export const accessEndpoints = {
  'GET /session': open('Say who is logged in', { response: access.sessionSchema }),
  'POST /session': open('Log a browser in with name and password, or with a token; sets an HttpOnly cookie', {
    body: access.logInSchema,
    response: access.sessionSchema,
  }),
  'DELETE /session': open('Log out', {}),
  'PUT /session/password': viewer('Change the own password; every other browser is logged out', {
    body: access.changePasswordSchema,
  }),
  'DELETE /sessions': viewer('Log out everywhere', {}),
  'POST /accounts/first': open('Make the first administrator, with the link that the server printed', {
    body: access.firstAccountSchema,
    response: access.sessionSchema,
    status: 201,
  }),
  'GET /accounts': administrator('List accounts', { response: itemsOf(access.accountSchema) }),
  'POST /accounts': administrator('Make an account', {
    body: access.newAccountSchema,
    response: access.accountSchema,
    status: 201,
  }),
  'PATCH /accounts/{id}': administrator('Change the role of an account, or set another password', {
    ...numbered,
    body: access.patchAccountSchema,
    response: access.accountSchema,
  }),
  'DELETE /accounts/{id}': administrator(
    'Remove an account; what it did stays in the log of changes',
    numbered,
  ),
  'DELETE /accounts/{id}/sessions': administrator('Log an account out everywhere', numbered),
  'GET /tokens': administrator('List API tokens, without their secrets', {
    response: itemsOf(access.tokenSchema),
  }),
  'POST /tokens': administrator('Make an API token; its secret is shown this once', {
    body: access.newTokenSchema,
    response: z.strictObject({ token: access.tokenSchema, secret: z.string() }),
    status: 201,
  }),
  'DELETE /tokens/{id}': administrator('Revoke an API token and the sessions opened with it', numbered),
  'POST /tokens/{id}/restore': administrator(
    'Restore a token that the caller revoked in the last five minutes, with its sessions',
    numbered,
  ),
  'GET /changes': administrator('List changes with their authors, newest first, page by page', {
    query: access.changeQuerySchema,
    response: pageOf(access.changeSchema),
  }),
  'POST /tls/rotate': administrator(
    "Replace the server's own authority; agents within reach pin the new one, the others are listed",
    { response: authorityRotationSchema },
  ),
  'GET /changes.csv': administrator('Save the log of changes as CSV', { file: csv }),
};
