import spdxIds from 'spdx-license-ids/index.json' with { type: 'json' };
import { authorshipSchema } from './authorship.ts';

/** Authorship from outside: its licence is in the list of SPDX. Separate, because the first page needs no list. */
export const licensedAuthorshipSchema = authorshipSchema.extend({
  licence: authorshipSchema.shape.licence.refine((id) => id === '' || spdxIds.includes(id), {
    error: 'is not an SPDX licence id, for example CC-BY-4.0 or CC0-1.0',
  }),
});
