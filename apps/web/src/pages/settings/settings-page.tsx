import { Button, type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { addressOf, apiPrefix } from '@mqttlab/shared/messages/address';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { Loaded } from '../../api/loaded.tsx';
import { useApi } from '../../api/use-api.ts';
import { formatDateTime } from '../../ui/format.ts';
import { FieldRow } from '../../ui/input/field.tsx';
import { SegmentedSwitch } from '../../ui/input/segmented-switch.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { BlockSkeleton } from '../../ui/skeletons.tsx';
import { useTourDismissed } from '../experiments/tour-banner.tsx';
import { AccountsPanel } from './accounts-panel.tsx';
import { AuthorshipPanel } from './authorship-panel.tsx';
import { OwnAccountPanel } from './own-account-panel.tsx';
import styles from './settings-page.module.css';
import { SharesPanel } from './shares-panel.tsx';
import { SignersPanel } from './signers-panel.tsx';
import { StoragePanel } from './storage-panel.tsx';
import { TokensPanel } from './tokens-panel.tsx';
import { WebhooksPanel } from './webhooks-panel.tsx';

/** Settings stored in this browser. */
function AppearancePanel(): ReactElement {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [isTourHidden, setTourHidden] = useTourDismissed();
  return (
    <Panel flush title="This browser" subtitle="stored in this browser, not on the server">
      <FieldRow label="Colours">
        <div>
          <SegmentedSwitch<MantineColorScheme>
            label="Colours"
            value={colorScheme}
            options={[
              { value: 'auto', label: 'System' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
            onChange={setColorScheme}
          />
        </div>
      </FieldRow>
      <FieldRow label="Tour banner">
        <div>
          <Button variant="default" size="xs" disabled={!isTourHidden} onClick={() => setTourHidden(false)}>
            {isTourHidden ? 'Show again' : 'Shown above the experiments'}
          </Button>
        </div>
      </FieldRow>
    </Panel>
  );
}

/** Version of the server, and its API description. */
function AboutPanel({ isAdministrator }: { isAdministrator: boolean }): ReactElement {
  return (
    <Panel flush title="About this server">
      <FieldRow label="Version">
        <Loaded query={useApi('GET /version')} skeleton={<BlockSkeleton heightPx={20} />}>
          {({ version, node, openssl, startedAt }) => (
            <p className={styles.line}>
              mqttlab {version}, Node.js {node}, OpenSSL {openssl}, running since {formatDateTime(startedAt)}
            </p>
          )}
        </Loaded>
      </FieldRow>
      <FieldRow label="API">
        <p className={styles.line}>
          Everything on this page is also available through the REST API.{' '}
          <a className="link" href={`${apiPrefix}/openapi.json`}>
            OpenAPI document
          </a>
        </p>
      </FieldRow>
      {isAdministrator && (
        <FieldRow label="Support">
          <p className={styles.line}>
            <a className="link" href={addressOf('GET /support.json')} download>
              Save a support file
            </a>{' '}
            with versions, sizes and the last log lines, without secrets.
          </p>
        </FieldRow>
      )}
      <FieldRow label="Licence">
        <p className={styles.plain}>Apache-2.0</p>
      </FieldRow>
    </Panel>
  );
}

/** The activity log, with the user of each. */
function ChangesPanel(): ReactElement {
  return (
    <Panel flush title="Activity log" subtitle="who changed what, when and from where">
      <FieldRow label="Changes">
        <Link className="link" to="/changes">
          View all changes
        </Link>
      </FieldRow>
    </Panel>
  );
}

export function SettingsPage(): ReactElement {
  const session = useApi('GET /session').data;
  const isAdministrator = session?.role === 'administrator';
  return (
    <Page title="Settings">
      {session && <OwnAccountPanel session={session} />}
      <AppearancePanel />
      <SharesPanel />
      {isAdministrator && (
        <>
          <WebhooksPanel />
          <AccountsPanel />
          <TokensPanel />
          <ChangesPanel />
          <AuthorshipPanel />
          <SignersPanel />
          <StoragePanel />
        </>
      )}
      <AboutPanel isAdministrator={isAdministrator} />
    </Page>
  );
}
