import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { CopyField } from '../../share/copy-field.tsx';
import styles from './webhooks.module.css';

type SecretOnceProps = { url: string; secret: string; onClose: () => void };

/** The secret to give to the receiver; the server does not tell it again. */
export function SecretOnce({ url, secret, onClose }: SecretOnceProps): ReactElement {
  return (
    <div className={styles.form}>
      <p className={styles.words}>
        Give it to the receiver at <span className="mono">{url}</span>, which checks with it that a message is
        from here. It is not shown again.
      </p>
      <CopyField label="Secret" text={secret} />
      <div className={styles.buttons}>
        <Button onClick={onClose}>I have it</Button>
      </div>
    </div>
  );
}
