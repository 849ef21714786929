import { type WebhookDelivery, webhookEvents } from '@mqttlab/shared/messages/webhooks';
import { describe, expect, it } from 'vitest';
import { describeDelivery, describeEvents, describePending, isPlain, nameWebhook } from './webhooks.ts';

const delivery: WebhookDelivery = {
  event: 'run.failed',
  at: 1000,
  attempt: 1,
  ok: true,
  status: 204,
  reason: null,
  remedy: null,
  nextAt: null,
};
const refused = { ok: false, status: 500, reason: 'it answered 500', remedy: 'Look at its log.' };

describe('describeDelivery', () => {
  it.each([
    [{}, 'passed', /^Run failed, status 204$/],
    [{ event: 'test' as const }, 'passed', /^Test, status 204$/],
    [refused, 'failed', /^Run failed: it answered 500\. Look at its log\.$/],
    [{ ...refused, nextAt: 61_000, attempt: 2 }, 'warning', /Attempt 2 failed; the next is at .*:01:01\.$/],
  ])('%j', (change, kind, detail) => {
    expect(describeDelivery({ ...delivery, ...change }, 2000)).toMatchObject({
      kind,
      detail: expect.stringMatching(detail),
    });
  });
});

describe('a webhook in words', () => {
  it('lists its events', () => {
    expect(describeEvents(webhookEvents)).toBe('Every event');
    expect(describeEvents(['run.failed', 'device.offline'])).toBe('Run failed, device offline');
  });

  it('is named by its address, truncated if long', () => {
    expect(nameWebhook('https://example.org/')).toBe('example.org');
    expect(nameWebhook('http://[::1]:80/hooks/a?key=1')).toBe('[::1]/hooks/a');
    expect(nameWebhook(`https://example.org/${'x'.repeat(90)}`)).toMatch(/^example\.org\/x{23}…$/);
  });

  it('shows pending messages, and that http is not encrypted', () => {
    expect(describePending({ enabled: true, pending: 2 })).toBe('2 messages waiting');
    expect(describePending({ enabled: true, pending: 0 })).toBeNull();
    expect([isPlain(' HTTP://lab'), isPlain('https://lab')]).toEqual([true, false]);
  });
});
