import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, vi } from 'vitest';

/** A DOM element and its React root. */
export interface Mounted {
  host: HTMLElement;
  root: Root;
}

/** Gives each jsdom test an empty element with a React root, and polyfills that Mantine needs. */
export function mountEachTest(): Mounted {
  const mounted = {} as Mounted;
  beforeEach(() => {
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
    vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
    vi.stubGlobal(
      'ResizeObserver',
      class {
        observe() {}
        unobserve() {}
        disconnect() {}
      },
    );
    mounted.host = document.body.appendChild(document.createElement('div'));
    mounted.root = createRoot(mounted.host);
  });
  afterEach(() => {
    act(() => mounted.root.unmount());
    mounted.host.remove();
    vi.unstubAllGlobals();
  });
  return mounted;
}
