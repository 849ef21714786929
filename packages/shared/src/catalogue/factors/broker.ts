import * as z from 'zod';
import type { FactorDefinition, FactorValue, Refusal } from '../../domain/factor.ts';
import { type TestbedView, withBroker } from '../../domain/testbed-view.ts';
import { type BrokerKind, brokerKinds } from '../../domain/trial-spec.ts';

const schema = z.enum(brokerKinds);

const labels: Readonly<Record<BrokerKind, string>> = {
  mosquitto: 'Mosquitto',
  embedded: 'Embedded (aedes)',
  external: 'External broker',
};

const missing: Readonly<Record<BrokerKind, Refusal>> = {
  mosquitto: {
    reason: 'Mosquitto is not installed on the broker device',
    remedy: 'Install it there (Debian: apt-get install mosquitto), or choose another broker.',
  },
  embedded: {
    reason: "the broker device's agent was started without it",
    remedy: 'Start the agent with "embedded" among its brokers, or choose another broker.',
  },
  external: {
    reason: 'this testbed has no external broker',
    remedy: 'Set its address on the Devices page, or choose another broker.',
  },
};

export const broker: FactorDefinition = {
  id: 'broker',
  label: 'Broker',
  group: 'system',
  audience: 'everyone',
  help: 'Mosquitto and the embedded broker are started for each run. An external broker is one that somebody else runs: it is only measured.',
  unit: null,
  schema,
  input: { kind: 'choice' },
  defaultLevel: (testbed) => testbed.brokers[0]?.kind ?? 'mosquitto',
  options: (testbed) => brokerKinds.map((value) => ({ value, refusal: broker.refuse(value, {}, testbed) })),
  levelLabel: nameOf,
  shortLabel: nameOf,
  applies: () => true,
  refuse: (value, _levels, testbed) => {
    const kind = value as BrokerKind;
    return withBroker(testbed, kind).broker === null ? missing[kind] : null;
  },
  apply: (spec, value) => ({ ...spec, broker: (value ?? 'mosquitto') as BrokerKind }),
};

function nameOf(value: FactorValue, testbed?: TestbedView): string {
  const own = value === 'external' ? testbed?.externalBroker?.label : undefined;
  return own ?? labels[value as BrokerKind];
}
