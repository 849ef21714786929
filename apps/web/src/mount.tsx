import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { Asked } from './api/asked.ts';
import { App } from './app.tsx';

/** Puts the application into the document. */
export function mount(asked: readonly Asked[]): void {
  const root = document.getElementById('root');
  if (!root) throw new Error('index.html has no #root');
  createRoot(root).render(
    <StrictMode>
      <App asked={asked} />
    </StrictMode>,
  );
}
