import * as z from 'zod';
import { resultFileNames } from '../domain/runs/capture.ts';
import { resultKeySchema } from './set-aside.ts';

/** Bytes of a file per frame. */
export const filePartBytes = 512 * 1024;

/** Requests a part of a file that belongs to an unacknowledged result. */
export const fetchFileSchema = z.strictObject({
  type: z.literal('fetch-file'),
  id: z.int(),
  key: resultKeySchema,
  name: z.enum(resultFileNames),
  offset: z.int().min(0),
});

/** null if the file does not exist or, with `error`, cannot be read now; empty after the end of the file. */
export const filePartSchema = z.strictObject({
  type: z.literal('file-part'),
  id: z.int(),
  part: z
    .base64()
    .max(filePartBytes * 2)
    .nullable(),
  error: z.string().max(1000).optional(),
});
