import { expect, it } from 'vitest';
import { meterQuery } from './meter-panel.tsx';

it('sends only the completed fields with the file of a meter', () => {
  const form = { role: 'publisher' as const, device: '', startedAt: '', aheadMs: ' ', name: '' };
  expect(meterQuery(form)).toBe('role=publisher');
  const full = {
    ...form,
    device: 'pi 2',
    startedAt: '2026-11-22T14:05:01',
    aheadMs: '2,5',
    name: ' Joulescope & co ',
  };
  expect(Object.fromEntries(new URLSearchParams(meterQuery(full)))).toEqual({
    role: 'publisher',
    device: 'pi 2',
    startedAt: String(new Date(2026, 10, 22, 14, 5, 1).getTime()),
    aheadMs: '2.5',
    name: 'Joulescope & co',
  });
});
