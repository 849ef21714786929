import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { AgentCommand } from '@mqttlab/shared/messages/agent';
import { BridgeRun } from './bridge-run.ts';
import { BrokerRun } from './broker-run.ts';
import { ClientRun } from './client-run.ts';
import type { RoleRun, RunContext } from './role-run.ts';

export type PrepareCommand = Extract<
  AgentCommand,
  { kind: 'prepare-broker' | 'prepare-client' | 'prepare-bridge' }
>;

export function roleOf(command: PrepareCommand): RoleResult['role'] {
  return command.kind === 'prepare-bridge' ? 'bridge' : command.role;
}

export function makeRoleRun(context: RunContext, command: PrepareCommand): RoleRun {
  if (command.kind === 'prepare-broker') return new BrokerRun(context, command);
  if (command.kind === 'prepare-bridge') return new BridgeRun(context, command);
  return new ClientRun(context, command);
}

export function isPrepare(command: AgentCommand): command is PrepareCommand {
  const kinds: readonly string[] = ['prepare-broker', 'prepare-client', 'prepare-bridge'];
  return kinds.includes(command.kind);
}
