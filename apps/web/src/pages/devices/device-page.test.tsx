import { MantineProvider } from '@mantine/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { SetAsidePanel } from './device-page.tsx';

// @vitest-environment jsdom
const result = {
  name: '7-broker-1',
  key: '7-broker',
  reason: 'never started run 7',
  refusedAt: 1,
  bytes: 2048,
};
const show = (online: boolean, setAside: (typeof result)[]): string =>
  renderToStaticMarkup(
    <MantineProvider>
      <SetAsidePanel device={{ id: 'pi 1', name: 'Pi 1', online, setAside }} />
    </MantineProvider>,
  );

it('shows why a result was refused, with a download while its device is online', () => {
  expect(show(true, [result])).toContain('href="/api/v1/devices/pi%201/set-aside/7-broker-1"');
  expect(show(true, [result])).toContain('never started run 7');
  expect(show(false, [result])).not.toContain('href=');
  expect(show(false, [result])).toContain('once the device is online');
  expect(show(true, [])).not.toContain('Refused');
});
