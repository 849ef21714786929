import { useApi } from '../api/use-api.ts';

/**
 * Returns the origin of links for others: the origin that the server reports, otherwise the origin of this
 * page.
 */
export function usePublicOrigin(): string {
  return useApi('GET /session').data?.publicOrigin ?? window.location.origin;
}
