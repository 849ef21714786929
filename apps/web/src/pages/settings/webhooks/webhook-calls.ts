import type {
  CreatedWebhook,
  CreateWebhook,
  PatchWebhook,
  Webhook,
  WebhookDelivery,
} from '@mqttlab/shared/messages/webhooks';
import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type ApiError, request } from '../../../api/client.ts';

const listKey = ['webhooks'];
/** Deliveries are not told over the live connection. */
const lookEveryMs = 5000;

/** In the order in which they were added, asked for again while they are on screen. */
export function useWebhooks(): UseQueryResult<Webhook[], ApiError> {
  return useQuery({
    queryKey: listKey,
    queryFn: () => request<{ items: Webhook[] }>('GET', '/webhooks'),
    select: ({ items }) => items,
    refetchInterval: lookEveryMs,
  });
}

function useCall<Variables, Data>(
  call: (variables: Variables) => Promise<Data>,
): UseMutationResult<Data, ApiError, Variables> {
  const client = useQueryClient();
  return useMutation({ mutationFn: call, onSettled: () => client.invalidateQueries({ queryKey: listKey }) });
}

export const useAddWebhook = () =>
  useCall((webhook: CreateWebhook) => request<CreatedWebhook>('POST', '/webhooks', webhook));

export const useChangeWebhook = () =>
  useCall(({ id, change }: { id: number; change: PatchWebhook }) =>
    request<Webhook>('PATCH', `/webhooks/${id}`, change),
  );

export const useTestWebhook = () =>
  useCall((id: number) => request<WebhookDelivery>('POST', `/webhooks/${id}/test`));

export const useRemoveWebhook = () => useCall((id: number) => request<void>('DELETE', `/webhooks/${id}`));

export const useRestoreWebhook = () =>
  useCall((id: number) => request<Webhook>('POST', `/webhooks/${id}/restore`));
