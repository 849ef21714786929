import { Button, VisuallyHidden } from '@mantine/core';
import type { ExternalBroker } from '@mqttlab/shared/domain/devices/external-broker';
import type { Preflight, TestbedStatus } from '@mqttlab/shared/messages/http';
import { IconPencil, IconPlugConnected, IconPlus, IconServerBolt, IconTrash } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { useRemoveExternalBroker } from '../../../api/mutations.ts';
import { useSession } from '../../../api/queries.ts';
import { showProblem } from '../../../api/show-problem.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { IconButton } from '../../../ui/input/icon-button.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { StatusLine } from '../../../ui/status.tsx';
import { describeBroker, describeCheck } from './describe-broker.ts';
import styles from './external-broker.module.css';
import { ExternalBrokerDialog } from './external-broker-dialog.tsx';
import { useBrokerTest } from './use-broker-test.ts';

type ExternalBrokerPanelProps = { testbed: TestbedStatus };

/** The broker of a testbed that somebody else runs: what is known of it, and whether it answers. */
export function ExternalBrokerPanel({ testbed }: ExternalBrokerPanelProps): ReactElement {
  const { testbedId, externalBroker: broker } = testbed;
  const isAdministrator = useSession().data?.role === 'administrator';
  const [isEditing, setEditing] = useState(false);
  const test = useBrokerTest(testbedId);
  const remove = useRemoveExternalBroker(testbedId);
  const forget = (): void =>
    remove.mutate(undefined, {
      onSuccess: () => test.reset(),
      onError: (error) => showProblem('The broker was not removed', error),
    });
  return (
    <Panel
      flush
      title={
        <>
          External broker
          {/* Each testbed has one: read out, their names differ. */}
          <VisuallyHidden> of {testbed.name}</VisuallyHidden>
        </>
      }
      subtitle={broker?.label}
      mark={<IconServerBolt className={styles.icon} size={16} stroke={2} aria-hidden />}
      actions={
        broker && (
          <>
            <Button
              variant="default"
              size="xs"
              loading={test.isPending}
              leftSection={<IconPlugConnected size={14} stroke={2} aria-hidden />}
              onClick={() => test.mutate(broker)}
            >
              Test connection
            </Button>
            {isAdministrator && (
              <>
                <IconButton
                  icon={IconPencil}
                  label="Change the external broker"
                  onClick={() => setEditing(true)}
                />
                <IconButton icon={IconTrash} label="Remove the external broker" onClick={forget} />
              </>
            )}
          </>
        )
      }
    >
      {broker ? (
        <div className={styles.body}>
          <Facts facts={describeBroker(broker)} />
          <div className={styles.tried}>
            {test.error && <ApiErrorState error={test.error} onRetry={() => test.mutate(broker)} />}
            {test.data ? <TestResult checks={test.data} broker={broker} /> : !test.error && <NotTested />}
          </div>
        </div>
      ) : (
        <NoBroker onSet={isAdministrator ? () => setEditing(true) : null} />
      )}
      <ExternalBrokerDialog
        testbedId={testbedId}
        stored={broker}
        opened={isEditing}
        onClose={() => {
          setEditing(false);
          test.reset();
        }}
      />
    </Panel>
  );
}

/** null: an administrator may. */
function NoBroker({ onSet }: { onSet: (() => void) | null }): ReactElement {
  return (
    <div className={styles.none}>
      <p>
        Measure a broker that already runs somewhere: EMQX, NanoMQ, HiveMQ, RabbitMQ. It becomes a level of
        the factor “Broker”.{onSet === null && ' An administrator sets it.'}
      </p>
      {onSet && (
        <Button variant="default" leftSection={<IconPlus size={16} stroke={2} aria-hidden />} onClick={onSet}>
          Set an external broker
        </Button>
      )}
    </div>
  );
}

function NotTested(): ReactElement {
  return (
    <p className={styles.hint}>
      Not tested since this page was opened. A test connects both clients once for each protocol, and sends
      nothing.
    </p>
  );
}

type TestResultProps = { checks: Preflight['checks']; broker: ExternalBroker };

function TestResult({ checks, broker }: TestResultProps): ReactElement {
  if (checks.length === 0) {
    return <p className={styles.words}>Not tried: a device of this testbed is offline.</p>;
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
