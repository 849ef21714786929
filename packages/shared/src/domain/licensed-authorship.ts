import spdxIds from 'spdx-license-ids/index.json' with { type: 'json' };
import { authorshipSchema } from './authorship.ts';

/**
 * Authorship from external input, whose licence must be in the SPDX list. This is a separate file because the
 * first page does not need the list.
 */
export const licensedAuthorshipSchema = authorshipSchema.extend({
  licence: authorshipSchema.shape.licence.refine((id) => id === '' || spdxIds.includes(id), {
    error: 'is not an SPDX licence id, for example CC-BY-4.0 or CC0-1.0',
  }),
});
