import type { ReactElement } from 'react';

export function BrandMark(): ReactElement {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" fill="none" aria-hidden="true">
      <rect width="20" height="20" rx="5" fill="var(--text)" />
      <path
        d="M4.5 13.5V7.2L10 11.6l5.5-4.4v6.3"
        stroke="var(--surface)"
        strokeWidth="1.6"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}
