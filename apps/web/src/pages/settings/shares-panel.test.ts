import { describe, expect, it } from 'vitest';
import { shareState } from './shares-panel.tsx';

const share = {
  token: 'x',
  kind: 'run' as const,
  title: 'Run',
  path: '/s/x',
  createdAt: 0,
  madeBy: null,
  hasPassword: false,
  openings: 0,
  maxOpenings: null,
  frozenAt: null,
  expiresAt: null,
  revokedAt: null,
  details: false,
  packets: 'none',
} as const;

describe('shareState', () => {
  it.each([
    [{}, 'open'],
    [{ expiresAt: 101 }, 'open'],
    [{ expiresAt: 100 }, 'expired'],
    [{ revokedAt: 5 }, 'revoked'],
    [{ revokedAt: 5, expiresAt: 50 }, 'revoked'],
  ])('%j is %s', (change, kind) => {
    expect(shareState({ ...share, ...change }, 100).kind).toBe(kind);
  });

  it('reports a link without expiry', () => {
    expect(shareState(share, 100).words).toBe('Active, never expires');
  });
});
