import { describe, expect, it } from 'vitest';
import { readStorageForm } from './storage-panel.tsx';

describe('readStorageForm', () => {
  it('reads numbers, and empty fields as no limit', () => {
    expect(readStorageForm({ days: ' 30 ', budget: '1,5' })).toEqual({
      ok: true,
      body: { retentionDays: 30, budgetBytes: 1_500_000_000 },
    });
    expect(readStorageForm({ days: '', budget: ' ' })).toEqual({
      ok: true,
      body: { retentionDays: null, budgetBytes: null },
    });
  });

  it.each(['12 days', '-1', '0', '1.5', '1e999', 'NaN'])('names the field if the days are "%s"', (days) => {
    expect(readStorageForm({ days, budget: '' })).toMatchObject({ ok: false, problems: { days: {} } });
  });

  it.each(['20 GB', '-1', '0', '1e999', '1e-12'])('names the field if the budget is "%s"', (budget) => {
    expect(readStorageForm({ days: '', budget })).toMatchObject({ ok: false, problems: { budget: {} } });
  });
});
