import type { ReactElement } from 'react';
import { Page } from '../ui/shell/page.tsx';
import { AboutPanel } from './about-panel.tsx';
import { AppearancePanel } from './appearance-panel.tsx';
import { SharesPanel } from './shares-panel.tsx';

export function SettingsPage(): ReactElement {
  return (
    <Page title="Settings">
      <AppearancePanel />
      <SharesPanel />
      <AboutPanel />
    </Page>
  );
}
