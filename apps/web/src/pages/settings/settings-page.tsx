import { Button, type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import type { SessionState } from '@mqttlab/shared/messages/access';
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
import { BlockSkeleton, PageSkeleton } from '../../ui/skeletons.tsx';
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

/** Link to the activity log, which names the user for each change. */
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

type Section = { id: string; title: string; panel: ReactElement };

/** Returns the panels that the user can see, with their titles in the section list. */
function sectionsOf(session: SessionState): Section[] {
  const isAdministrator = session.role === 'administrator';
  const forAdministrators: Section[] = [
    { id: 'webhooks', title: 'Webhooks', panel: <WebhooksPanel /> },
    { id: 'accounts', title: 'Accounts', panel: <AccountsPanel /> },
    { id: 'tokens', title: 'API tokens', panel: <TokensPanel /> },
    { id: 'changes', title: 'Activity log', panel: <ChangesPanel /> },
    { id: 'authorship', title: 'Author and licence', panel: <AuthorshipPanel /> },
    { id: 'signers', title: 'Trusted signers', panel: <SignersPanel /> },
    { id: 'storage', title: 'Storage', panel: <StoragePanel /> },
  ];
  return [
    ...(session.loginRequired && session.role !== null
      ? [{ id: 'login', title: 'Your login', panel: <OwnAccountPanel session={session} /> }]
      : []),
    { id: 'browser', title: 'This browser', panel: <AppearancePanel /> },
    { id: 'shares', title: 'Share links', panel: <SharesPanel /> },
    ...(isAdministrator ? forAdministrators : []),
    { id: 'about', title: 'About this server', panel: <AboutPanel isAdministrator={isAdministrator} /> },
  ];
}

export function SettingsPage(): ReactElement {
  return (
    <Page title="Settings">
      <Loaded query={useApi('GET /session')} skeleton={<PageSkeleton />}>
        {(session) => <Sections sections={sectionsOf(session)} />}
      </Loaded>
    </Page>
  );
}

function Sections({ sections }: { sections: readonly Section[] }): ReactElement {
  return (
    <div className={styles.layout}>
      <nav className={styles.sections} aria-label="Sections">
        {sections.map(({ id, title }) => (
          <a key={id} href={`#${id}`}>
            {title}
          </a>
        ))}
      </nav>
      <div className={styles.panels}>
        {sections.map(({ id, panel }) => (
          <div key={id} id={id} className={styles.section}>
            {panel}
          </div>
        ))}
      </div>
    </div>
  );
}
