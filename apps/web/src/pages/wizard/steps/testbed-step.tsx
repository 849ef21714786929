import { Radio } from '@mantine/core';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { experimentCode, listNames } from '../../../ui/format.ts';
import { StatusLine } from '../../../ui/status.tsx';
import { describeDevice } from '../../devices/describe-device.ts';
import { devicesTakingPart, issuesOfStep } from '../model/steps.ts';
import { useWizard } from '../model/wizard-context.tsx';
import { IssueList, StepHead } from './step-frame.tsx';
import styles from './testbed-step.module.css';

export function TestbedStep(): ReactElement {
  const { draft, edit, testbeds, planning } = useWizard();
  const hasAdded = testbeds.some(({ testbedId }) => testbedId !== 'local');
  return (
    <>
      <StepHead title="Testbed" lead="The machines that act as broker, publisher and subscriber." />
      <IssueList issues={issuesOfStep(planning.issues, 'testbed')} />
      <Radio.Group aria-label="Testbed" value={draft.testbedId} onChange={(testbedId) => edit({ testbedId })}>
        <div className={styles.testbeds}>
          {testbeds.map((testbed) => (
            <TestbedCard
              key={testbed.testbedId}
              testbed={testbed}
              isChosen={testbed.testbedId === draft.testbedId}
            />
          ))}
        </div>
      </Radio.Group>
      <p className={styles.more}>
        In the next step, levels that these machines do not support are struck out, with the reason.{' '}
        <Link className="link" to="/devices">
          {hasAdded ? 'All devices' : 'Add Raspberry Pis or other machines'}
        </Link>
      </p>
    </>
  );
}

function TestbedCard({ testbed, isChosen }: { testbed: TestbedStatus; isChosen: boolean }): ReactElement {
  const { draft } = useWizard();
  const links = describeLinks(testbed);
  const devices = devicesTakingPart(testbed, draft);
  return (
    <div className={styles.card} data-chosen={isChosen || undefined}>
      <Radio
        value={testbed.testbedId}
        label={testbed.name}
        description={describeReadiness({ ...testbed, devices })}
      />
      <ul className={styles.devices}>
        {testbed.devices.map((device) => (
          <li key={device.deviceId}>
            <span className={styles.role}>{device.role}</span>
            <span className={styles.device}>
              {device.name}
              <span className="second">
                {describeDevice(device)}
                {!devices.includes(device) && '; not needed by this plan'}
              </span>
            </span>
            <StatusLine kind={device.online ? 'ready' : 'unreachable'}>
              {device.online ? 'Online' : 'Offline'}
            </StatusLine>
          </li>
        ))}
      </ul>
      {links !== null && <p className={styles.links}>{links}</p>}
    </div>
  );
}

/** Describes whether a run can start now, and otherwise what it is waiting for. */
export function describeReadiness({ busyWith, probing, devices }: TestbedStatus): string {
  const offline = devices.filter(({ online }) => !online).map(({ name }) => name);
  if (offline.length > 0) {
    const one = offline.length === 1;
    return `${listNames(offline)} ${one ? 'is' : 'are'} offline: no run starts until ${one ? 'it is' : 'they are'} back online`;
  }
  if (busyWith !== null) {
    return `in use by ${experimentCode(busyWith)}: this experiment would wait in the queue`;
  }
  if (probing) return 'a pre-flight is running: this experiment would start after it';
  return 'idle: a run can start immediately';
}

/** Returns the named links of added devices. The built-in testbed uses the interfaces of its machine. */
export function describeLinks({ links }: Pick<TestbedStatus, 'links'>): string | null {
  if (links === undefined || links.length === 0) return null;
  return `Links: ${links.map(({ name }) => name).join(', ')}`;
}
