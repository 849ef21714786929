import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { makeRoleResult } from '@mqttlab/shared/testing/factories';

/** A small result of a publisher. */
export const makeTestResult: (overrides?: Partial<RoleResult>) => RoleResult = makeRoleResult;
