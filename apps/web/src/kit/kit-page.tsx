import type { ReactElement } from 'react';
import { Page } from '../ui/shell/page.tsx';

export function KitPage(): ReactElement {
  return <Page title="Kit">{null}</Page>;
}
