import type { RoleFailure, RoleResult } from '@mqttlab/shared/domain/role-result';

/** How far one role of one Run has come. */
export type Step = 'preparing' | 'prepared' | 'connected' | 'started' | 'drained';
export type StepCommand = 'connect' | 'start' | 'drain';

interface Transition {
  from: Step;
  to: Step;
}

const afterConnecting: Record<'start' | 'drain', Transition> = {
  start: { from: 'connected', to: 'started' },
  drain: { from: 'started', to: 'drained' },
};

/** Which command may follow which; a broker has nothing to connect. */
const transitions: Record<RoleResult['role'], Partial<Record<StepCommand, Transition>>> = {
  broker: { ...afterConnecting, start: { from: 'prepared', to: 'started' } },
  publisher: { connect: { from: 'prepared', to: 'connected' }, ...afterConnecting },
  subscriber: { connect: { from: 'prepared', to: 'connected' }, ...afterConnecting },
};

/** The step that a command leads to, or null when it is not its turn. */
export function nextStep(role: RoleResult['role'], step: Step, command: StepCommand): Step | null {
  const transition = transitions[role][command];
  return transition?.from === step ? transition.to : null;
}

export function wrongOrder(command: string, situation: string): RoleFailure {
  return {
    code: 'wrong-order',
    message: `"${command}" is not its turn: ${situation}.`,
    remedy: 'This is a fault of the server; abort the Run and retry it.',
  };
}
