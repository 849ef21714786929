import { makeEmptyDraft } from '@mqttlab/shared/catalogue/tour';
import type { ExternalBroker } from '@mqttlab/shared/domain/devices/external-broker';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { Preflight, TestbedStatus } from '@mqttlab/shared/messages/http';
import { IconPlugConnected, IconServerBolt } from '@tabler/icons-react';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { api } from '../../../api/client.ts';
import { useRemoveExternalBroker } from '../../../api/mutations.ts';
import { showProblem } from '../../../api/show-problem.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { ActionButton } from '../../../ui/input/buttons.tsx';
import { StatusLine } from '../../../ui/status.tsx';
import styles from './external.module.css';
import { ExternalBrokerDialog } from './external-broker-dialog.tsx';
import { ExternalPartPanel } from './external-part.tsx';

/** The broker of a testbed that somebody else runs: what is known of it, and whether it answers. */
export function ExternalBrokerPanel({ testbed }: { testbed: TestbedStatus }): ReactElement {
  const { testbedId, externalBroker: broker } = testbed;
  const [isEditing, setEditing] = useState(false);
  const test = useBrokerTest(testbedId);
  const remove = useRemoveExternalBroker(testbedId);
  const forget = (): void =>
    remove.mutate(undefined, {
      onSuccess: () => test.reset(),
      onError: (error) => showProblem('The broker was not removed', error),
    });
  return (
    <ExternalPartPanel
      testbed={testbed}
      noun="broker"
      icon={IconServerBolt}
      subtitle={broker?.label}
      actions={
        broker && (
          <ActionButton
            small
            icon={IconPlugConnected}
            loading={test.isPending}
            onClick={() => test.mutate(broker)}
          >
            Test connection
          </ActionButton>
        )
      }
      known={
        broker && (
          <div className={styles.body}>
            <Facts facts={describeBroker(broker)} />
            <div className={styles.tried}>
              {test.error && <ApiErrorState error={test.error} onRetry={() => test.mutate(broker)} />}
              {test.data ? <TestResult checks={test.data} broker={broker} /> : !test.error && <NotTested />}
            </div>
          </div>
        )
      }
      offer="Measure a broker that is already running elsewhere: EMQX, NanoMQ, HiveMQ, RabbitMQ. It becomes a level of the factor “Broker”."
      onEdit={() => setEditing(true)}
      onRemove={forget}
    >
      <ExternalBrokerDialog
        testbedId={testbedId}
        stored={broker}
        opened={isEditing}
        onClose={() => {
          setEditing(false);
          test.reset();
        }}
      />
    </ExternalPartPanel>
  );
}

function NotTested(): ReactElement {
  return (
    <p className={styles.hint}>
      Not tested since this page was opened. The test connects both clients once per protocol and publishes
      nothing.
    </p>
  );
}

type TestResultProps = { checks: Preflight['checks']; broker: ExternalBroker };

function TestResult({ checks, broker }: TestResultProps): ReactElement {
  if (checks.length === 0) {
    return <p className={styles.words}>Not tested: a device of this testbed is offline.</p>;
  }
  return (
    <ul aria-label={`Connections to ${broker.label}`} className={styles.checks}>
      {checks.map((check) => {
        const { protocol, found } = describeCheck(check, broker);
        return (
          <li key={check.id}>
            <StatusLine kind={check.status === 'passed' ? 'passed' : 'failed'}>{protocol}</StatusLine>
            <span className={styles.found}>
              {found}
              {check.remedy && ` ${check.remedy}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

type Check = Preflight['checks'][number];

function describeBroker(broker: ExternalBroker): Fact[] {
  const { address, port, tlsPort, websocketPort, mqttVersions, username, hasPassword, process, unit } =
    broker;
  const ports = [
    ...(port === null ? [] : [`${port} plain`]),
    ...(tlsPort === null ? [] : [`${tlsPort} TLS`]),
    ...(websocketPort === null ? [] : [`${websocketPort} WebSocket`]),
  ];
  const trust = broker.authority === null ? 'the testbed’s authority' : 'its own authority';
  return [
    { label: 'Address', value: address },
    { label: 'Ports', value: ports.join(', ') },
    { label: 'MQTT', value: mqttVersions.join(', ') },
    {
      label: 'Login',
      value: username === null ? 'anonymous' : `${username}, ${hasPassword ? 'with' : 'without'} password`,
    },
    ...(tlsPort === null
      ? []
      : [{ label: 'Certificate', value: `${broker.serverName ?? address}, by ${trust}` }]),
    {
      label: 'Measured',
      value: unit !== null ? `unit ${unit}` : process !== null ? `process ${process}` : 'no process',
    },
  ];
}

/** A check of the pre-flight in the words of this panel, which has said already whose connections these are. */
function describeCheck(
  { label, evidence, status }: Check,
  broker: ExternalBroker,
): { protocol: string; found: string } {
  const way = (label.split(':')[0] ?? label).replace(', external broker', '');
  const [protocol = way, ...details] = way.split(', ');
  if (status === 'passed') {
    const seen = evidence.replace(`external ${broker.label}`, '').replace(/^, /, '');
    return { protocol, found: seen === '' ? 'Both clients connected.' : `Both clients connected: ${seen}.` };
  }
  const tried = details.length === 0 ? '' : `Tried ${details.join(', ')}. `;
  return { protocol, found: `${tried}${evidence}${/[.!?]$/.test(evidence) ? '' : '.'}` };
}

/** One suite for each version; the second is for brokers with an RSA certificate. */
const tlsSuites = [
  'TLS_AES_256_GCM_SHA384',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
] as const;

/** What the pre-flight has to connect once for every way into this broker. */
export function makeTestDraft(testbedId: string, broker: ExternalBroker): ExperimentDraft {
  const { port, tlsPort, websocketPort } = broker;
  const overTcp = port !== null || tlsPort !== null;
  return {
    ...makeEmptyDraft(testbedId, 1),
    name: `Is ${broker.label} there?`,
    factors: {
      broker: ['external'],
      security: [
        ...(port !== null || websocketPort !== null ? ['plain'] : []),
        ...(tlsPort === null ? [] : ['TLS 1.2', 'TLS 1.3']),
      ],
      cipherSuite: [...tlsSuites],
      // What every broker has, and the curve of the usual certificate.
      group: ['P-256'],
      transport: overTcp ? ['tcp'] : ['websocket'],
      qos: [0],
    },
    repetitions: 1,
  };
}

/** One suite of each protocol is enough; where none works, each reason once. */
export function bestOfEach(checks: readonly Check[]): Check[] {
  const byProtocol = Map.groupBy(checks, ({ label }) => label.split(/[,:]/)[0]);
  return [...byProtocol.values()].flatMap((tried) => {
    const working = tried.filter(({ status }) => status === 'passed').slice(0, 1);
    if (working.length > 0) return working;
    return tried.filter(
      ({ evidence }, index) => tried.findIndex((other) => other.evidence === evidence) === index,
    );
  });
}

type Checks = Preflight['checks'];

/** Connects both clients once for every way into the broker, with the pre-flight of an experiment. */
function useBrokerTest(testbedId: string): UseMutationResult<Checks, ApiError, ExternalBroker> {
  return useMutation({
    mutationFn: async (broker) => {
      const { checks } = await api.preflight(testbedId, makeTestDraft(testbedId, broker));
      return bestOfEach(checks.filter(({ id }) => id.startsWith('connect-')));
    },
  });
}
