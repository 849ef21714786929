import { Button, Checkbox, Modal } from '@mantine/core';
import { type ReactElement, useEffect, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import type { KnownDevice } from '../../../api/client.ts';
import { useHostKey, useRepinDevice } from './device-calls.ts';
import styles from './remote.module.css';

type RepinDialogProps = { opened: boolean; device: KnownDevice; onClose: () => void };

/** The pinned host key beside the one that is shown now, to be compared before it is trusted. */
export function RepinDialog({ opened, device, onClose }: RepinDialogProps): ReactElement {
  return (
    <Modal opened={opened} onClose={onClose} withCloseButton={false} size={640}>
      <div className={styles.dialogHead}>
        <Modal.Title>Host key of {device.name}</Modal.Title>
        <Modal.CloseButton aria-label="Close" />
      </div>
      {opened && <CompareKeys device={device} onClose={onClose} />}
    </Modal>
  );
}

function CompareKeys({ device, onClose }: Omit<RepinDialogProps, 'opened'>): ReactElement {
  const { mutate: look, data, error, isPending } = useHostKey();
  const repin = useRepinDevice(device.id);
  const [wasCompared, setCompared] = useState(false);
  const { host = '', port = 22, fingerprint = '' } = device.ssh ?? {};
  useEffect(() => look({ host, port }), [look, host, port]);
  const isSame = data?.fingerprint === fingerprint;
  return (
    <div className={styles.form}>
      <dl className={styles.compare}>
        <dt>Pinned</dt>
        <dd className={styles.fingerprint}>{fingerprint}</dd>
        <dt>Shown now</dt>
        <dd className={styles.fingerprint}>
          {data ? `${data.fingerprint} (${data.algorithm})` : isPending ? 'asking …' : 'not known'}
        </dd>
      </dl>
      {error && <ApiErrorState error={error} onRetry={() => look({ host, port })} />}
      {isSame && <p className={styles.words}>They are the same: there is nothing to confirm.</p>}
      {data && !isSame && (
        <>
          <p className={styles.words}>
            A device gets another key when its system is installed anew. If that was not done, somebody may be
            between you and it: leave it, and nothing is sent. Its own key is printed on it by{' '}
            <code>ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub</code>.
          </p>
          <Checkbox
            label="I have compared it: the device itself shows this key"
            checked={wasCompared}
            onChange={(event) => setCompared(event.currentTarget.checked)}
          />
        </>
      )}
      {repin.error && <ApiErrorState error={repin.error} lost="The pinned key stays." />}
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          {isSame ? 'Close' : 'Leave it'}
        </Button>
        {data && !isSame && (
          <Button
            disabled={!wasCompared}
            loading={repin.isPending}
            onClick={() => repin.mutate(data.fingerprint, { onSuccess: onClose })}
          >
            Trust the new key
          </Button>
        )}
      </div>
    </div>
  );
}
