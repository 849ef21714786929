import * as z from 'zod';
import * as access from '../access.ts';
import { authorityRotationSchema } from '../tls.ts';
import { administrator, csv, itemsOf, numbered, open, pageOf, viewer } from './endpoint.ts';

/** Sessions, accounts, tokens and the activity log. */
export const accessEndpoints = {
  'GET /session': open('Read the current session', { response: access.sessionSchema }),
  'POST /session': open('Log in with name and password, or with a token; sets an HttpOnly cookie', {
    body: access.logInSchema,
    response: access.sessionSchema,
  }),
  'DELETE /session': open('Log out', {}),
  'PUT /session/password': viewer('Change your password; all other browsers are logged out', {
    body: access.changePasswordSchema,
  }),
  'DELETE /sessions': viewer('Log out everywhere', {}),
  'POST /accounts/first': open('Create the first administrator with the link printed by the server', {
    body: access.firstAccountSchema,
    response: access.sessionSchema,
    status: 201,
  }),
  'GET /accounts': administrator('List accounts', { response: itemsOf(access.accountSchema) }),
  'POST /accounts': administrator('Create an account', {
    body: access.newAccountSchema,
    response: access.accountSchema,
    status: 201,
  }),
  'PATCH /accounts/{id}': administrator('Change the role or password of an account', {
    ...numbered,
    body: access.patchAccountSchema,
    response: access.accountSchema,
  }),
  'DELETE /accounts/{id}': administrator(
    'Delete an account; its changes remain in the activity log',
    numbered,
  ),
  'DELETE /accounts/{id}/sessions': administrator('Log an account out everywhere', numbered),
  'GET /tokens': administrator('List API tokens, without their secrets', {
    response: itemsOf(access.tokenSchema),
  }),
  'POST /tokens': administrator('Create an API token; its secret is returned only once', {
    body: access.newTokenSchema,
    response: z.strictObject({ token: access.tokenSchema, secret: z.string() }),
    status: 201,
  }),
  'DELETE /tokens/{id}': administrator('Revoke an API token and the sessions opened with it', numbered),
  'POST /tokens/{id}/restore': administrator(
    `Restore a token that the caller revoked in the last ${access.restoreMinutes} minutes, with its sessions`,
    numbered,
  ),
  'GET /changes': administrator('List the activity log, newest first, page by page', {
    query: access.changeQuerySchema,
    response: pageOf(access.changeSchema),
  }),
  'POST /tls/rotate': administrator(
    "Replace the server's own certificate authority; reachable agents pin the new authority, and the others are listed",
    { response: authorityRotationSchema },
  ),
  'GET /tls/authority.pem': open("Download the certificate of the server's own certificate authority", {
    file: 'application/x-pem-file',
  }),
  'GET /changes.csv': administrator('Download the activity log as CSV', { file: csv }),
};
