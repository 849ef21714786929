import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { SharePreview } from '@mqttlab/shared/messages/shares';
import type { ReactElement } from 'react';
import { ApiErrorState } from '../api/api-error-state.tsx';
import type { TextSpec } from '../ui/input/field.tsx';
import styles from './share-dialog.module.css';

/** For whom, and how often, a link opens; empty for everybody, as often as one likes. */
export const limitFields: readonly TextSpec<'password' | 'maxOpenings'>[] = [
  {
    name: 'password',
    label: 'Password',
    type: 'password',
    placeholder: 'none',
    hint: 'At least 8 characters.',
  },
  {
    name: 'maxOpenings',
    label: 'Openings',
    inputMode: 'numeric',
    placeholder: 'as often as one likes',
    hint: 'Reading on is the same one.',
  },
];

type WhatItShowsProps = { preview: SharePreview | undefined; error: ApiError | null };

/** Counted in the very content, before the link is made. */
export function WhatItShows({ preview, error }: WhatItShowsProps): ReactElement {
  if (error) return <ApiErrorState error={error} lost="No link was made." />;
  const lists = [
    ['It shows', preview?.shows ?? []],
    ['It does not show', preview?.hides ?? []],
  ] as const;
  return (
    <section aria-label="What this link shows" className={styles.shows} aria-busy={preview === undefined}>
      {lists.map(
        ([head, lines]) =>
          lines.length > 0 && (
            <div key={head}>
              <h3>{head}</h3>
              <ul>
                {lines.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </div>
          ),
      )}
    </section>
  );
}
