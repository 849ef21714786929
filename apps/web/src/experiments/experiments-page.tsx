import type { ReactElement } from 'react';
import { Page } from '../ui/shell/page.tsx';

export function ExperimentsPage(): ReactElement {
  return <Page title="Experiments">{null}</Page>;
}
