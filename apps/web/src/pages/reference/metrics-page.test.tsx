// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { findMetric, metrics } from '@mqttlab/shared/catalogue/metrics';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MetricHelp, metricAddress } from './metric-field.tsx';
import { MetricsPage } from './metrics-page.tsx';

let root: Root;
let host: HTMLElement;
const scrolled = vi.fn();
beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal(
    'matchMedia',
    vi.fn(() => ({ matches: false, addEventListener: () => {}, removeEventListener: () => {} })),
  );
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
  Element.prototype.scrollIntoView = scrolled;
  host = document.body.appendChild(document.createElement('div'));
  root = createRoot(host);
});
afterEach(() => {
  act(() => root.unmount());
  host.remove();
  scrolled.mockReset();
  vi.unstubAllGlobals();
});

function show(address: string, page = <MetricsPage />): void {
  act(() =>
    root.render(
      <MantineProvider>
        <MemoryRouter initialEntries={[address]}>{page}</MemoryRouter>
      </MantineProvider>,
    ),
  );
}

it('tells definition, source and known bias of every metric, and goes to the one asked for', () => {
  show(metricAddress('setUp.total'));
  for (const { id, help, source, bias } of metrics) {
    expect(document.getElementById(id), id).not.toBeNull();
    for (const text of [help, source, bias ?? '']) expect(host.textContent, id).toContain(text);
  }
  expect(scrolled).toHaveBeenCalledTimes(1);
});

it('is led to from the help of a metric', () => {
  show('/', <MetricHelp id="latency.p50" />);
  const link = host.querySelector('a');
  expect(link?.getAttribute('href')).toBe('/reference/metrics#latency.p50');
  expect(link?.title).toContain(findMetric('latency.p50')?.bias);
  expect(host.textContent).toContain(findMetric('latency.p50')?.help);
});
