import * as z from 'zod';
import { authorshipSchema } from '../../domain/authorship.ts';
import { studyFileSchema } from '../../domain/plans/study-file.ts';
import { claimBoardSchema } from '../../domain/report/claims.ts';
import { experimentDetailSchema } from '../../domain/runs/experiment.ts';
import { restoreMinutes } from '../access.ts';
import { catalogueSchema } from '../catalogue.ts';
import * as http from '../http.ts';
import * as shares from '../shares.ts';
import { addSignerSchema, signerListSchema, signerSchema } from '../signers.ts';
import { storageSettingsSchema, storageUsageSchema } from '../storage.ts';
import * as studies from '../studies.ts';
import * as webhooks from '../webhooks.ts';
import {
  administrator,
  document,
  itemsOf,
  json,
  numbered,
  once,
  open,
  operator,
  runFileQuery,
  viewer,
  yaml,
} from './endpoint.ts';

const ofStudy = { params: z.strictObject({ id: z.string().max(60) }) } as const;
const ofShare = {
  params: z.strictObject({ token: z.string().regex(/^[A-Za-z0-9_-]{22}$/, 'is not a share link') }),
} as const;

export const listedStudyRuns = 50;

/** Share links, saved views, webhooks, studies, catalogue and administration. */
export const sharingEndpoints = {
  'GET /shares': operator('List share links, newest first, including revoked and expired ones', {
    response: itemsOf(shares.shareSchema),
  }),
  'POST /shares': operator(
    'Create a read-only link; addresses, processes, paths and logs are omitted unless requested',
    { body: shares.createShareSchema, response: shares.shareSchema, status: 201, ...once },
  ),
  'POST /shares/preview': operator('Preview which data a link would show and omit', {
    asks: true,
    body: shares.previewShareSchema,
    response: shares.sharePreviewSchema,
  }),
  'DELETE /shares/{token}': operator('Revoke a link', ofShare),
  'POST /shares/{token}/restore': operator(
    `Restore a link that was revoked in the last ${restoreMinutes} minutes`,
    ofShare,
  ),
  'GET /shared/{token}': open(
    'Read the content of a link: live, and frozen as soon as all content is final',
    { ...ofShare, response: shares.sharedContentSchema },
  ),
  'POST /shared/{token}': open('Open a link with a password', {
    ...ofShare,
    asks: true,
    body: shares.openShareSchema,
    response: shares.sharedContentSchema,
  }),
  'GET /shared/{token}/capture.pcap': open('Download the packets of a run if its link includes them', {
    ...ofShare,
    query: runFileQuery,
    file: 'application/vnd.tcpdump.pcap',
  }),
  'GET /shared/{token}/keys.log': open('Download the TLS keys of a run if its link includes them', {
    ...ofShare,
    file: 'text/plain',
  }),
  'GET /shared/{token}/preview.png': open('Read the preview image of a link', {
    ...ofShare,
    file: 'image/png',
  }),
  'GET /views': viewer('List saved views, newest first', { response: itemsOf(http.viewSchema) }),
  'POST /views': operator('Save a view of the compare page under a name', {
    body: http.createViewSchema,
    response: http.viewSchema,
    status: 201,
  }),
  'DELETE /views/{id}': operator('Delete a saved view', numbered),
  'GET /webhooks': administrator('List webhooks with their last delivery, without their secrets', {
    response: webhooks.webhookListSchema,
  }),
  'POST /webhooks': administrator('Add a webhook; a generated secret is returned only once', {
    body: webhooks.createWebhookSchema,
    response: webhooks.createdWebhookSchema,
    status: 201,
  }),
  'PATCH /webhooks/{id}': administrator('Change the URL or events of a webhook, or enable or disable it', {
    ...numbered,
    body: webhooks.patchWebhookSchema,
    response: webhooks.webhookSchema,
  }),
  'POST /webhooks/{id}/test': administrator('Send a test message now and return its delivery', {
    ...numbered,
    response: webhooks.deliverySchema,
  }),
  'POST /webhooks/{id}/restore': administrator('Restore a removed webhook within ten minutes', {
    ...numbered,
    response: webhooks.webhookSchema,
  }),
  'DELETE /webhooks/{id}': administrator('Remove a webhook', numbered),
  'POST /studies': operator(
    'Save experiments as a study, one part per experiment, with their results for comparison',
    { body: studies.saveStudySchema, response: studyFileSchema, status: 201 },
  ),
  'POST /studies/import': operator('Import a study file in YAML or JSON', {
    takesDocument: true,
    body: studies.importStudySchema,
    response: studyFileSchema,
    status: 201,
  }),
  'GET /studies/{id}/study.yaml': viewer('Export a custom study as YAML for import', {
    ...ofStudy,
    file: yaml,
  }),
  'GET /studies/{id}/study.json': viewer('Export a custom study as JSON for import', {
    ...ofStudy,
    file: json,
  }),
  'DELETE /studies/{id}': operator('Delete a custom study; its experiments are kept', ofStudy),
  'GET /studies': viewer('List studies, with the cost of each on a testbed and the parts that cannot run', {
    query: studies.studyListQuerySchema,
    response: studies.studyListSchema,
  }),
  'POST /studies/{id}/experiments': operator('Create a draft from a study', {
    ...ofStudy,
    ...once,
    body: studies.createFromStudySchema,
    response: experimentDetailSchema,
    status: 201,
  }),
  'GET /study-runs': viewer(`List the last ${listedStudyRuns} study runs, newest first`, {
    response: studies.studyRunListSchema,
  }),
  'POST /study-runs': operator('Start all parts of a study in sequence', {
    ...once,
    body: studies.startStudySchema,
    response: studies.studyRunSchema,
    status: 201,
  }),
  'GET /study-runs/{id}': viewer('Read the progress and omissions of each part of a study run', {
    ...numbered,
    response: studies.studyRunSchema,
  }),
  'GET /study-runs/{id}/board': viewer("Read the study's claims, judged with this run", {
    ...numbered,
    query: studies.studyBoardQuerySchema,
    response: claimBoardSchema,
  }),
  'POST /study-runs/{id}/actions/cancel': operator(
    'Cancel all queued and running parts; measured data is kept',
    { ...numbered, response: studies.studyRunSchema },
  ),
  'GET /catalogue': viewer('List factors with their levels on a testbed, metrics and verdicts', {
    query: z.strictObject({ testbedId: z.string().max(80).optional() }),
    response: catalogueSchema,
  }),
  'GET /signers': viewer('List trusted signers of bundles, and unknown signers of imports', {
    response: signerListSchema,
  }),
  'POST /signers': administrator('Trust a signer of bundles by public key or fingerprint, or rename it', {
    body: addSignerSchema,
    response: signerSchema,
    status: 201,
  }),
  'DELETE /signers/{id}': administrator('Stop trusting a signer', numbered),
  'GET /authorship': viewer('Read the author, licence and funding stated in exports', {
    response: authorshipSchema,
  }),
  'PUT /authorship': administrator('Set the author, licence and funding stated in exports', {
    body: authorshipSchema,
    response: authorshipSchema,
  }),
  'GET /storage': viewer('Read disk usage and retention settings', { response: storageUsageSchema }),
  'GET /support.json': administrator(
    'Download a support file: versions, sizes and the end of the log, without secrets',
    { file: json },
  ),
  'PUT /storage/settings': administrator('Set the retention of series and logs, and a disk budget', {
    body: storageSettingsSchema,
    response: storageSettingsSchema,
  }),
  'GET /version': viewer('Read the version of mqttlab', { response: http.versionSchema }),
  'GET /asyncapi.json': viewer('The AsyncAPI document of the WebSocket interface', { response: document }),
  'GET /openapi.json': viewer('The OpenAPI document of this API', { response: document }),
};
