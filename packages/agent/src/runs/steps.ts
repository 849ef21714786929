import type { RoleFailure, RoleResult } from '@mqttlab/shared/domain/runs/role-result';

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

const ofBroker = { ...afterConnecting, start: { from: 'prepared', to: 'started' } } as const;
const ofClient = { connect: { from: 'prepared', to: 'connected' }, ...afterConnecting } as const;

/** Which command may follow which; a broker has nothing to connect. */
const transitions: Record<RoleResult['role'], Partial<Record<StepCommand, Transition>>> = {
  broker: ofBroker,
  'cloud-broker': ofBroker,
  publisher: ofClient,
  bridge: ofClient,
  subscriber: ofClient,
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
