import { factors } from '@mqttlab/shared/catalogue/factors';
import { makeTestbedView } from '@mqttlab/shared/domain/testbed-view';
import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { chipsOf } from './level-choice.ts';
import { protectionRows } from './protection-rows.ts';

const view = makeTestbedView(makeTestbed());
const draft = makeDraft();

describe('protectionRows', () => {
  it('stands beside the one factor whose levels decide what is protected', () => {
    const having = factors.filter(
      (factor) => protectionRows(factor, chipsOf(factor, draft, view), { draft, view }) !== null,
    );
    expect(having.map((factor) => factor.label)).toEqual(['Protocol']);
  });

  it('says what each level protects', () => {
    const protocol = factors.find((factor) => factor.label === 'Protocol');
    const rows = protocol ? protectionRows(protocol, chipsOf(protocol, draft, view), { draft, view }) : null;
    expect(
      rows?.map(({ chip, protection }) => [
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
});
