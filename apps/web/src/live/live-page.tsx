import type { ReactElement } from 'react';
import { Page } from '../ui/shell/page.tsx';

export function LivePage(): ReactElement {
  return <Page title="Experiment">{null}</Page>;
}
