import { ApiError } from './client.ts';

/** For an address that names what cannot be there, as the server says it of a number that is not. */
export function noSuch(what: 'experiment' | 'run' | 'study', name: string | undefined): ApiError {
  const why = what === 'study' ? '' : `: ${what === 'run' ? 'a run' : 'an experiment'} has a number`;
  return new ApiError({
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: `There is no ${what} “${name ?? ''}”${why}.`,
    remedy: 'Check the address, or go back to the list.',
    issues: [],
  });
}
