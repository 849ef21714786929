import type { ReactElement } from 'react';
import { Page } from '../ui/shell/page.tsx';

export function WizardPage(): ReactElement {
  return <Page title="New experiment">{null}</Page>;
}
