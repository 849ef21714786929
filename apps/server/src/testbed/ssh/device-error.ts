import type { DeviceFailure } from '@mqttlab/shared/messages/devices';

/** Why something on a device could not be done, in words for whoever asked for it. */
export class DeviceError extends Error {
  readonly failure: DeviceFailure;

  constructor(failure: Omit<DeviceFailure, 'field'> & { field?: string }) {
    super(failure.message);
    this.name = 'DeviceError';
    this.failure = { ...failure, field: failure.field ?? null };
  }
}

/** Of anything that was thrown. */
export function toDeviceFailure(error: unknown): DeviceFailure {
  if (error instanceof DeviceError) return error.failure;
  return {
    code: 'internal',
    message: error instanceof Error ? error.message : String(error),
    remedy: 'Try again.',
    field: null,
  };
}
