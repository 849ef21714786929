import { describe, expect, it } from 'vitest';
import { isSecret, makeSecret, signHeaders } from './post-message.ts';

describe('signHeaders', () => {
  it('signs as the example of Standard Webhooks does', () => {
    const headers = signHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', {
      messageId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1614265330,
      body: '{"test": 2432232314}',
    });
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});

describe('isSecret', () => {
  const bytes = (length: number) => `whsec_${Buffer.alloc(length, 7).toString('base64')}`;

  it.each([
    [makeSecret(), true],
    [bytes(24), true],
    [bytes(64), true],
    [bytes(23), false],
    [bytes(65), false],
    [bytes(32).slice(6), false],
    ['whsec_', false],
    [`whsec_${'!'.repeat(40)}`, false],
    ['my secret', false],
  ])('%s: %s', (text, expected) => {
    expect(isSecret(text)).toBe(expected);
  });
});
