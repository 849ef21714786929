import type { Authorship } from '@mqttlab/shared/domain/authorship';
import { licensedAuthorshipSchema } from '@mqttlab/shared/domain/licensed-authorship';
import type { ReactElement } from 'react';
import { Loaded } from '../../api/loaded.tsx';
import { useApi } from '../../api/use-api.ts';
import { type PlaceOf, type ReadForm, readWith, useApiForm } from '../../api/use-api-form.tsx';
import { useCall } from '../../api/use-call.ts';
import type { TextSpec } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { SettingsForm } from './settings-form.tsx';
import styles from './settings-page.module.css';

/** Author, licence and funding of reports, bundles and citations. */
export function AuthorshipPanel(): ReactElement {
  return (
    <Panel
      flush
      title="Author and licence"
      subtitle="stated in reports, bundles and citations from this server"
    >
      <Loaded
        query={useApi('GET /authorship')}
        skeleton={<TableSkeleton rows={3} />}
        errorClass={styles.inPanel}
      >
        {(authorship) => (
          <div className={styles.inPanel}>
            <AuthorshipForm authorship={authorship} />
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function AuthorshipForm({ authorship }: { authorship: Authorship }): ReactElement {
  const form = useApiForm({
    initial: authorship,
    call: useCall('PUT /authorship', { changes: ['GET /authorship', 'GET /experiments/{id}/report'] }),
    read: readAuthorshipForm,
    args: (body) => ({ body }),
    placeOf: placeAuthorship,
  });
  return <SettingsForm form={form} fields={fields} action="Save author and licence" />;
}

const fields: readonly TextSpec<keyof Authorship>[] = [
  { name: 'author', label: 'Author', hint: 'Given and family name.' },
  { name: 'orcid', label: 'ORCID iD', hint: 'For example 0000-0002-1825-0097.' },
  { name: 'affiliation', label: 'Affiliation' },
  { name: 'licence', label: 'Licence of the data', hint: 'SPDX id, for example CC-BY-4.0 or CC0-1.0.' },
  { name: 'funding', label: 'Funding', hint: 'Funder and grant number.' },
];

const remedies: Readonly<Record<string, string>> = {
  orcid: 'Copy it from your ORCID page, or leave it empty.',
  licence: 'Enter an id such as CC-BY-4.0, or leave the field empty.',
};

const placeAuthorship: PlaceOf = ({ field, reason }) => ({
  field,
  problem: { what: `This ${reason}.`, remedy: remedies[field] ?? 'Correct it, or leave it empty.' },
});

export function readAuthorshipForm(form: Authorship): ReadForm<Authorship> {
  return readWith(licensedAuthorshipSchema, form, placeAuthorship);
}
