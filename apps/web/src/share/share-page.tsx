import type { ReactElement } from 'react';
import { Page } from '../ui/shell/page.tsx';

export function SharePage(): ReactElement {
  return <Page title="Shared result">{null}</Page>;
}
