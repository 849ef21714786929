import { factors, findFactor } from '@mqttlab/shared/catalogue/factors';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { chipsOf } from '../model/level-choice.ts';
import { protectionView } from './protection-table.tsx';

const view = makeTestbedView(makeTestbed());

function viewOf(id: string, levels?: string[]) {
  const factor = findFactor(id);
  if (!factor) throw new Error(`no factor ${id}`);
  const draft = makeDraft(levels ? { factors: { [id]: levels } } : {});
  return protectionView(factor, chipsOf(factor, draft, view), { draft, view });
}

describe('protectionView', () => {
  it('exists only for factors whose levels determine protection', () => {
    const draft = makeDraft();
    const having = factors.filter(
      (factor) => protectionView(factor, chipsOf(factor, draft, view), { draft, view }) !== null,
    );
    expect(having.map((factor) => factor.id)).toEqual(['security', 'payloadCipher']);
  });

  it('shows the protection of each protocol level', () => {
    expect(
      viewOf('security')?.rows.map(({ chip, protection }) => [
        chip.label,
        protection.confidentiality.level,
        protection.forwardSecrecy.level,
      ]),
    ).toEqual([
      ['Plain', 'no', 'no'],
      ['TLS 1.2', 'yes', 'partly'],
      ['TLS 1.3', 'yes', 'yes'],
    ]);
  });

  it('shows only selected levels if there are many', () => {
    const payload = viewOf('payloadCipher', ['none', 'aes-256-gcm', 'ecdh-p256-aes-128-cbc-as-published']);
    expect(payload?.isWhole).toBe(false);
    expect(payload?.rows.map(({ protection }) => protection.integrity.level)).toEqual(['no', 'yes', 'no']);
    expect(payload?.scope).toContain('from publisher to subscriber');
  });
});
