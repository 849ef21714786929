import * as z from 'zod';

const line = (longest: number) =>
  z
    .string()
    .trim()
    .max(longest, `must have at most ${longest} characters`)
    .refine((text) => !/\p{Cc}/u.test(text), 'must be one line of text');

/** Publisher of a server's results, shown in reports and exports, which omit empty texts. */
export const authorshipSchema = z.strictObject({
  author: line(200),
  /** "0000-0002-1825-0097", with a valid check digit. */
  orcid: line(60)
    .overwrite(withoutAddress)
    .refine(isOrcidOrEmpty, {
      error:
        'is not an ORCID iD, which has 16 digits with a valid check digit, for example 0000-0002-1825-0097',
    }),
  affiliation: line(300),
  /**
   * SPDX id of the data licence, for example "CC-BY-4.0". `licensedAuthorshipSchema` compares it with the
   * list.
   */
  licence: line(100),
  funding: line(500),
});

export type Authorship = z.infer<typeof authorshipSchema>;

export const noAuthorship: Authorship = { author: '', orcid: '', affiliation: '', licence: '', funding: '' };

export function isStated(authorship: Authorship): boolean {
  return Object.values(authorship).some((text) => text !== '');
}

export function orcidAddress(orcid: string): string {
  return `https://orcid.org/${orcid}`;
}

/** Returns "Ada Lovelace (ORCID 0000-0002-1825-0097), Institute. Licence: CC-BY-4.0. Funding: ..."; parts may be absent. */
export function authorshipWords({ author, orcid, affiliation, licence, funding }: Authorship): string {
  const person = [author, orcid === '' ? '' : `(ORCID ${orcid})`].filter(Boolean).join(' ');
  return [
    [person, affiliation].filter(Boolean).join(', '),
    licence === '' ? '' : `Licence: ${licence}`,
    funding === '' ? '' : `Funding: ${funding}`,
  ]
    .filter(Boolean)
    .map((part) => `${part.replace(/\.$/, '')}.`)
    .join(' ');
}

/** Returns the iD from a pasted address. */
function withoutAddress(text: string): string {
  return text
    .trim()
    .replace(/^https?:\/\/orcid\.org\//, '')
    .toUpperCase();
}

/** Verifies the check digit (ISO 7064 MOD 11-2). */
function isOrcidOrEmpty(text: string): boolean {
  if (text === '') return true;
  if (!/^(\d{4}-){3}\d{3}[\dX]$/.test(text)) return false;
  const digits = text.replaceAll('-', '');
  const sum = [...digits.slice(0, -1)].reduce((total, digit) => ((total + Number(digit)) * 2) % 11, 0);
  const check = (12 - sum) % 11;
  return digits.endsWith(check === 10 ? 'X' : String(check));
}
