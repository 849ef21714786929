import type { ReactElement } from 'react';
import { Page } from '../ui/shell/page.tsx';

export function ProtocolsPage(): ReactElement {
  return <Page title="Protocols">{null}</Page>;
}
