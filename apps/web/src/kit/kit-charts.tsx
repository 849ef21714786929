import type { ReactElement } from 'react';

export function KitCharts(): ReactElement {
  return <section aria-label="Charts" />;
}
