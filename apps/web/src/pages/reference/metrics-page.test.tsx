// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core';
import { findMetric, metrics } from '@mqttlab/shared/catalogue/metrics';
import { act } from 'react';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { mountEachTest } from '../../testing/mount.ts';
import { MetricHelp, metricAddress } from './metric-field.tsx';
import { MetricsPage } from './metrics-page.tsx';

const mounted = mountEachTest();
const scrolled = vi.fn();
beforeEach(() => {
  Element.prototype.scrollIntoView = scrolled;
});
afterEach(() => scrolled.mockReset());

function show(address: string, page = <MetricsPage />): void {
  act(() =>
    mounted.root.render(
      <MantineProvider>
        <MemoryRouter initialEntries={[address]}>{page}</MemoryRouter>
      </MantineProvider>,
    ),
  );
}

it('shows definition, source and known bias of every metric, and scrolls to the requested one', () => {
  show(metricAddress('setUp.total'));
  for (const { id, help, source, bias } of metrics) {
    expect(document.getElementById(id), id).not.toBeNull();
    for (const text of [help, source, bias ?? '']) expect(mounted.host.textContent, id).toContain(text);
  }
  expect(scrolled).toHaveBeenCalledTimes(1);
});

it('is linked from the help of a metric', () => {
  show('/', <MetricHelp id="latency.p50" />);
  const link = mounted.host.querySelector('a');
  expect(link?.getAttribute('href')).toBe('/reference/metrics#latency.p50');
  expect(link?.title).toContain(findMetric('latency.p50')?.bias);
  expect(mounted.host.textContent).toContain(findMetric('latency.p50')?.help);
});
