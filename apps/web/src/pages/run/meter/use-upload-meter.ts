import type { Role } from '@mqttlab/shared/domain/devices/device';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { MeterUpload } from '@mqttlab/shared/messages/meter';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';

export interface MeterForm {
  role: Role;
  /** Its name; several may have played the role. */
  device: string;
  /** As an input of date and time has it; empty where the file tells it. */
  startedAt: string;
  aheadMs: string;
  name: string;
}

/** Of what is sent beside the file. */
export function meterQuery({ role, device, startedAt, aheadMs, name }: MeterForm): string {
  const query = new URLSearchParams({ role, ...(device === '' ? {} : { device }) });
  if (startedAt !== '') query.set('startedAt', String(Date.parse(startedAt)));
  if (aheadMs.trim() !== '') query.set('aheadMs', aheadMs.trim().replace(',', '.'));
  if (name.trim() !== '') query.set('name', name.trim());
  return query.toString();
}

/** The run and every comparison are computed anew with it. */
export function useUploadMeter(
  runId: number,
): UseMutationResult<MeterUpload, ApiError, { file: Blob; form: MeterForm }> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ file, form }) =>
      call('POST /runs/{id}/meter', {
        params: { id: runId },
        query: Object.fromEntries(new URLSearchParams(meterQuery(form))),
        file,
        type: 'text/csv',
      }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: queryKeys.run(runId) }),
        client.invalidateQueries({ queryKey: queryKeys.compareAll }),
      ]),
  });
}
