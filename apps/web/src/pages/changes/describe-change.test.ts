import type { Change } from '@mqttlab/shared/messages/access';
import { expect, it } from 'vitest';
import { fieldChanges, pageOf } from './describe-change.ts';

const change = (before: Change['before'], after: Change['after']): Change => ({
  id: 1,
  at: 0,
  actor: 'Anna',
  address: '::1',
  action: 'PATCH /runs/{id}',
  words: '',
  subject: '/runs/1',
  before,
  after,
});

it('shows each field before and after, short enough for a cell', () => {
  expect(fieldChanges(change({ name: 'a', tags: [] }, { name: 'b', tags: ['x'] }))).toEqual([
    { name: 'name', words: 'a → b' },
    { name: 'tags', words: 'nothing → x' },
  ]);
  expect(fieldChanges(change(null, { role: 'viewer', end: null }))).toEqual([
    { name: 'role', words: 'viewer' },
  ]);
  expect(fieldChanges(change({ notes: 'x'.repeat(500) }, null))[0]?.words).toHaveLength(120);
});

it('links to objects with a page', () => {
  expect(['/experiments/7', '/devices/pi-1/settings', '/shares/abc…', '/experiments'].map(pageOf)).toEqual([
    '/experiments/7',
    '/devices/pi-1',
    null,
    null,
  ]);
});
