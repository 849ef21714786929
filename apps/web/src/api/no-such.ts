import { ApiError } from '@mqttlab/shared/messages/api-client';

const reasons = {
  experiment: ': an experiment has a number',
  run: ': a run has a number',
  view: ': a view has a number',
  study: '',
};

/** Returns a "Not Found" error for an invalid address, worded like the server's. */
export function noSuch(what: 'experiment' | 'run' | 'study' | 'view', name: string | undefined): ApiError {
  const why = name && /^\d+$/.test(name) ? '' : reasons[what];
  return new ApiError({
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail: `There is no ${what} “${name ?? ''}”${why}.`,
    remedy: 'Check the address, or go back to the list.',
    issues: [],
  });
}

/** Returns the number in an address; null if there is none. */
export function parseId(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}
