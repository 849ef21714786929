import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { groupByReason } from './review-step.tsx';

describe('groupByReason', () => {
  it('names every impossible combination once, under its first reason', () => {
    const factors = {
      security: ['TLS 1.2', 'TLS 1.3'],
      cipherSuite: [
        'ECDHE-ECDSA-AES256-GCM-SHA384',
        'TLS_AES_256_GCM_SHA384',
        'TLS_CHACHA20_POLY1305_SHA256',
      ],
      qos: [0, 1],
    };
    const parsed = parsePlan(makeDraft({ factors }), makeTestbed());
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    const rows = groupByReason(parsed.plan.excluded);
    expect(rows.map(({ reason, count, levels }) => [reason, count, levels])).toEqual([
      [
        'Cipher suite: TLS 1.2 cannot negotiate it',
        4,
        ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
      ],
      ['Cipher suite: TLS 1.3 has its own suites', 2, ['ECDHE-ECDSA-AES256-GCM-SHA384']],
    ]);
    expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(parsed.plan.excluded.length);
  });
});
