import * as z from 'zod';
import { studyFileSchema } from '../../domain/plans/study-file.ts';
import { claimBoardSchema } from '../../domain/report/claims.ts';
import { experimentDetailSchema } from '../../domain/runs/experiment.ts';
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

/** Share links, saved views, webhooks, studies, and what there is to vary and measure. */
export const sharingEndpoints = {
  'GET /shares': operator('List share links, newest first; revoked and expired ones included', {
    response: itemsOf(shares.shareSchema),
  }),
  'POST /shares': operator(
    'Make a read-only link; addresses, processes, paths and logs stay out of it unless asked for',
    { body: shares.createShareSchema, response: shares.shareSchema, status: 201, ...once },
  ),
  'POST /shares/preview': operator('Say what a link would show, and what not, before it is made', {
    asks: true,
    body: shares.previewShareSchema,
    response: shares.sharePreviewSchema,
  }),
  'DELETE /shares/{token}': operator('Revoke a link', ofShare),
  'GET /shared/{token}': open('Read what a link shows: live, and frozen once everything in it is settled', {
    ...ofShare,
    response: shares.sharedContentSchema,
  }),
  'POST /shared/{token}': open('Open a link that asks for a password', {
    ...ofShare,
    asks: true,
    body: shares.openShareSchema,
    response: shares.sharedContentSchema,
  }),
  'GET /shared/{token}/capture.pcap': open('Save the packets of a run, where its link shows them', {
    ...ofShare,
    query: runFileQuery,
    file: 'application/vnd.tcpdump.pcap',
  }),
  'GET /shared/{token}/keys.log': open('Save the TLS keys of a run, where its link shows them', {
    ...ofShare,
    file: 'text/plain',
  }),
  'GET /shared/{token}/preview.png': open('The picture beside the address of a link', {
    ...ofShare,
    file: 'image/png',
  }),
  'GET /views': viewer('List saved views, newest first', { response: itemsOf(http.viewSchema) }),
  'POST /views': operator('Keep a view of the compare page under a name', {
    body: http.createViewSchema,
    response: http.viewSchema,
    status: 201,
  }),
  'DELETE /views/{id}': operator('Forget a saved view', numbered),
  'GET /webhooks': administrator('List webhooks with their last delivery, without their secrets', {
    response: webhooks.webhookListSchema,
  }),
  'POST /webhooks': administrator('Add a webhook; a generated secret is shown only in this response', {
    body: webhooks.createWebhookSchema,
    response: webhooks.createdWebhookSchema,
    status: 201,
  }),
  'PATCH /webhooks/{id}': administrator('Change the address or events of a webhook, or switch it on or off', {
    ...numbered,
    body: webhooks.patchWebhookSchema,
    response: webhooks.webhookSchema,
  }),
  'POST /webhooks/{id}/test': administrator('Send a test message now, and say how it went', {
    ...numbered,
    response: webhooks.deliverySchema,
  }),
  'POST /webhooks/{id}/restore': administrator('Undo the removal of a webhook, within ten minutes', {
    ...numbered,
    response: webhooks.webhookSchema,
  }),
  'DELETE /webhooks/{id}': administrator('Remove a webhook; it receives nothing more', numbered),
  'POST /studies': operator(
    'Save experiments as a study, a part of each, with their results to compare with',
    { body: studies.saveStudySchema, response: studyFileSchema, status: 201 },
  ),
  'POST /studies/import': operator('Import a study file, YAML or JSON', {
    body: studies.importStudySchema,
    response: studyFileSchema,
    status: 201,
  }),
  'GET /studies/{id}/study.yaml': viewer('Export a study of your own as YAML, to share and to import', {
    ...ofStudy,
    file: yaml,
  }),
  'GET /studies/{id}/study.json': viewer('Export a study of your own as JSON, to share and to import', {
    ...ofStudy,
    file: json,
  }),
  'DELETE /studies/{id}': operator('Delete a study of your own; its runs are kept', ofStudy),
  'GET /studies': viewer('List the studies with what each costs and leaves out on a testbed', {
    query: studies.studyListQuerySchema,
    response: studies.studyListSchema,
  }),
  'POST /studies/{id}/experiments': operator('Make a draft of a study, to look at and to start', {
    ...ofStudy,
    ...once,
    body: studies.createFromStudySchema,
    response: experimentDetailSchema,
    status: 201,
  }),
  'GET /study-runs': viewer(`List the last ${listedStudyRuns} study runs, newest first`, {
    response: studies.studyRunListSchema,
  }),
  'POST /study-runs': operator('Start every part of a study, one after the other', {
    ...once,
    body: studies.startStudySchema,
    response: studies.studyRunSchema,
    status: 201,
  }),
  'GET /study-runs/{id}': viewer('How far each part of a study run is, and what it left out', {
    ...numbered,
    response: studies.studyRunSchema,
  }),
  'GET /study-runs/{id}/board': viewer('The claims of the study, judged by this run', {
    ...numbered,
    query: studies.studyBoardQuerySchema,
    response: claimBoardSchema,
  }),
  'POST /study-runs/{id}/actions/cancel': operator(
    'Cancel every part that is queued or running; results are kept',
    { ...numbered, response: studies.studyRunSchema },
  ),
  'GET /catalogue': viewer('List factors with their levels on a testbed, metrics and verdicts', {
    query: z.strictObject({ testbedId: z.string().max(80).optional() }),
    response: catalogueSchema,
  }),
  'GET /signers': viewer('List the signers of bundles that are trusted here, and unknown ones of imports', {
    response: signerListSchema,
  }),
  'POST /signers': administrator('Trust a signer of bundles, by public key or fingerprint; or rename it', {
    body: addSignerSchema,
    response: signerSchema,
    status: 201,
  }),
  'DELETE /signers/{id}': administrator('Trust a signer no longer', numbered),
  'GET /storage': viewer('Say what takes how much of the disk, and what is kept how long', {
    response: storageUsageSchema,
  }),
  'GET /support.json': administrator(
    'Return the support file: versions, sizes and the end of the log, without secrets',
    { file: json },
  ),
  'PUT /storage/settings': administrator('Set how long series and logs are kept, and a budget of the disk', {
    body: storageSettingsSchema,
    response: storageSettingsSchema,
  }),
  'GET /version': viewer('Say which mqttlab this is', { response: http.versionSchema }),
  'GET /asyncapi.json': viewer('The AsyncAPI document of the WebSocket', { response: document }),
  'GET /openapi.json': viewer('This document', { response: document }),
};
