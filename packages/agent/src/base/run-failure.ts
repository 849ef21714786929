import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { systemFailureOf } from '@mqttlab/shared/domain/runs/system-failure';

/** An error that a person reads: what happened, under which code, and what to do about it. */
export class RunFailure extends Error {
  readonly failure: RoleFailure;

  constructor(failure: RoleFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Any thrown value as a failure; `fallback` names what was being done when it is not one already. */
export function toFailure(error: unknown, fallback: Omit<RoleFailure, 'message'>): RoleFailure {
  if (error instanceof RunFailure) return error.failure;
  return systemFailureOf(error) ?? { ...fallback, message: reasonOf(error) };
}

/** The words of a thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
