import { Button, Progress } from '@mantine/core';
import type { BundleImport } from '@mqttlab/shared/messages/http';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../../api/client.ts';
import { showProblem } from '../../api/show-problem.tsx';
import styles from './bundle-progress.module.css';

const words: Readonly<Record<BundleImport['state'], string>> = {
  receiving: 'Sending the bundle',
  waiting: 'Waiting for another import',
  checking: 'Checking files and signature',
  storing: 'Storing runs',
};
const askEveryMs = 500;

/** How far the import of a bundle is, and the way to end it. */
export function BundleProgress({ bundleKey }: { bundleKey: string }): ReactElement {
  const { data } = useQuery({
    queryKey: ['imports', bundleKey],
    queryFn: () => api.listImports(),
    refetchInterval: askEveryMs,
  });
  const found = data?.items.find(({ key }) => key === bundleKey);
  const percent = found?.all ? Math.min(100, (100 * found.done) / found.all) : 0;
  const state = words[found?.state ?? 'receiving'];
  const cancel = () =>
    void api.cancelImport(bundleKey).catch((error: unknown) => showProblem('The import goes on', error));
  return (
    <div className={styles.progress}>
      <span role="status">{state}</span>
      <Progress value={percent} aria-label={state} />
      <Button variant="default" onClick={cancel} disabled={!found}>
        Cancel import
      </Button>
    </div>
  );
}
