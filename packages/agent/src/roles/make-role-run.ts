import type { RoleResult } from '@mqttlab/shared/domain/role-result';
import type { AgentCommand } from '@mqttlab/shared/protocol/agent';
import { BrokerRun } from './broker-run.ts';
import { ClientRun } from './client-run.ts';
import type { RoleRun, RunContext } from './role-run.ts';

export type PrepareCommand = Extract<AgentCommand, { kind: 'prepare-broker' | 'prepare-client' }>;

export function roleOf(command: PrepareCommand): RoleResult['role'] {
  return command.kind === 'prepare-broker' ? 'broker' : command.role;
}

export function makeRoleRun(context: RunContext, command: PrepareCommand): RoleRun {
  return command.kind === 'prepare-broker'
    ? new BrokerRun(context, command)
    : new ClientRun(context, command);
}
