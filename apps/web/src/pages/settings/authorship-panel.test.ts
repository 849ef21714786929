import { noAuthorship } from '@mqttlab/shared/domain/authorship';
import { expect, it } from 'vitest';
import { readAuthorshipForm } from './authorship-panel.tsx';

it('accepts an empty form, and names the field of a wrong ORCID iD or licence', () => {
  expect(readAuthorshipForm(noAuthorship)).toMatchObject({ ok: true });
  for (const change of [{ orcid: '0000-0002-1825-0098' }, { licence: 'CC BY 4.0' }]) {
    const [field = ''] = Object.keys(change);
    expect(readAuthorshipForm({ ...noAuthorship, ...change })).toMatchObject({
      ok: false,
      problems: { [field]: {} },
    });
  }
});
