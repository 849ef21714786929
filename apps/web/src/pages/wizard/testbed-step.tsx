import { Radio } from '@mantine/core';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { StatusLine } from '../../ui/status.tsx';
import { describeDevice } from '../devices/describe-device.ts';
import { describeLinks, describeReadiness } from './describe-testbed.ts';
import { IssueList } from './frame/issue-list.tsx';
import { StepHead } from './frame/step-head.tsx';
import { devicesTakingPart } from './step-summaries.ts';
import { issuesOfStep } from './steps.ts';
import styles from './testbed-step.module.css';
import { useWizard } from './wizard-context.tsx';

export function TestbedStep(): ReactElement {
  const { draft, edit, testbeds, planning } = useWizard();
  const hasAdded = testbeds.some(({ testbedId }) => testbedId !== 'local');
  return (
    <>
      <StepHead title="Testbed" lead="The machines that play broker, publisher and subscriber." />
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
        Levels that these machines cannot do are struck out in the next step, with the reason.{' '}
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
