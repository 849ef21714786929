import type { ReactElement } from 'react';
import { Page } from '../ui/shell/page.tsx';

export function DevicesPage(): ReactElement {
  return <Page title="Devices">{null}</Page>;
}
