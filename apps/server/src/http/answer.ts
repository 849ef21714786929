import { pipeline } from 'node:stream/promises';
import type { Problem } from '@mqttlab/shared/messages/http';
import type { Request, Response } from 'express';
import { EncodedJson } from '../base/encoded-json.ts';
import { stringifyInSlices } from '../base/json-slices.ts';
import type { FileAnswer, Route } from './route.ts';
import { sendEncoded, sendText } from './send.ts';

/** Writes what a handler gave back in the form its table entry declares. */
export async function sendAnswer(
  { request, response, route }: { request: Request; response: Response; route: Route },
  answer: unknown,
): Promise<void> {
  response.set('Cache-Control', 'no-store');
  if (route.file !== undefined) {
    const { name, body } = answer as FileAnswer;
    if (name !== null) response.set('Content-Disposition', `attachment; filename="${name}"`);
    response.type(route.file);
    if (typeof body === 'string') await sendText(request, response, body);
    else if (body instanceof Uint8Array) response.send(Buffer.from(body));
    else await pipeline(body, response);
    return;
  }
  if (route.response === undefined) {
    response.status(204).end();
    return;
  }
  response.status(route.status ?? 200).type('application/json; charset=utf-8');
  if (answer instanceof EncodedJson) await sendEncoded(request, response, answer);
  else await sendText(request, response, await stringifyInSlices(answer));
}

/** RFC 9457. */
export function sendProblem(response: Response, problem: Problem): void {
  response
    .status(problem.status)
    .set('Cache-Control', 'no-store')
    .type('application/problem+json; charset=utf-8')
    .send(Buffer.from(JSON.stringify(problem)));
}
