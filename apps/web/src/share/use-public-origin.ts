import { useApi } from '../api/use-api.ts';

/** Returns the origin of links for others: the one the server names, otherwise the address of this page. */
export function usePublicOrigin(): string {
  return useApi('GET /session').data?.publicOrigin ?? window.location.origin;
}
