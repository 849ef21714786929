import type { ReactElement } from 'react';
import { Page } from '../ui/shell/page.tsx';

export function RunPage(): ReactElement {
  return <Page title="Run">{null}</Page>;
}
