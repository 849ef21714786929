import type { ReactElement } from 'react';
import { Page } from '../ui/shell/page.tsx';

export function ComparePage(): ReactElement {
  return <Page title="Compare">{null}</Page>;
}
