import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OverflowRegion } from './overflow-region.tsx';

// @vitest-environment jsdom
let look: () => void = () => undefined;
let contentPx = 0;

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  class Observer {
    constructor(callback: () => void) {
      look = callback;
    }
    observe(): void {}
    disconnect(): void {}
  }
  vi.stubGlobal('ResizeObserver', Observer);
  vi.spyOn(Element.prototype, 'scrollWidth', 'get').mockImplementation(() => contentPx);
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(300);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('OverflowRegion', () => {
  it('is a named stop of the Tab key only while its content is too wide', () => {
    const host = document.createElement('div');
    const root = createRoot(host);
    contentPx = 300;
    act(() => root.render(<OverflowRegion label="Runs">wide</OverflowRegion>));
    const box = host.firstElementChild;
    expect(box?.hasAttribute('tabindex')).toBe(false);
    contentPx = 640;
    act(() => look());
    expect(box?.getAttribute('tabindex')).toBe('0');
    expect(box?.getAttribute('role')).toBe('region');
    expect(box?.getAttribute('aria-label')).toBe('Runs');
    contentPx = 300;
    act(() => look());
    expect(box?.hasAttribute('role')).toBe(false);
    act(() => root.unmount());
  });
});
