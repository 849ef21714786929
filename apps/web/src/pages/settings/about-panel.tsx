import type { ReactElement } from 'react';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { api } from '../../api/client.ts';
import { useVersion } from '../../api/queries.ts';
import { formatDateTime } from '../../ui/format/time.ts';
import { FieldRow } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { BlockSkeleton } from '../../ui/skeletons.tsx';
import styles from './about-panel.module.css';

/** Which program this is, and where its API is described. */
export function AboutPanel(): ReactElement {
  const version = useVersion();
  const { data } = version;
  return (
    <Panel flush title="About this server">
      <FieldRow label="Version">
        {version.error && !data && (
          <ApiErrorState error={version.error} onRetry={() => void version.refetch()} />
        )}
        {version.isPending && <BlockSkeleton heightPx={20} />}
        {data && (
          <p className={styles.line}>
            mqttlab {data.version}, Node.js {data.node}, OpenSSL {data.openssl}, running since{' '}
            {formatDateTime(data.startedAt)}
          </p>
        )}
      </FieldRow>
      <FieldRow label="API">
        <p className={styles.line}>
          Everything this page does is a call of the REST API.{' '}
          <a className="link" href={api.openApiUrl}>
            OpenAPI document
          </a>
        </p>
      </FieldRow>
      <FieldRow label="Licence">
        <p className={styles.plain}>Apache-2.0</p>
      </FieldRow>
    </Panel>
  );
}
