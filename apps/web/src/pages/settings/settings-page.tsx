import type { ReactElement } from 'react';
import { useSession } from '../../api/queries.ts';
import { Page } from '../../ui/shell/page.tsx';
import { AboutPanel } from './about-panel.tsx';
import { AppearancePanel } from './appearance-panel.tsx';
import { SharesPanel } from './shares-panel.tsx';
import { WebhooksPanel } from './webhooks/webhooks-panel.tsx';

export function SettingsPage(): ReactElement {
  const isAdministrator = useSession().data?.role === 'administrator';
  return (
    <Page title="Settings">
      <AppearancePanel />
      <SharesPanel />
      {isAdministrator && <WebhooksPanel />}
      <AboutPanel />
    </Page>
  );
}
