import { Button, TextInput } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { type ReactElement, useRef, useState } from 'react';
import { copyText } from '../../share/copy-text.ts';
import styles from './webhooks.module.css';

type SecretOnceProps = { url: string; secret: string; onClose: () => void };

/** The secret to give to the receiver; the server does not tell it again. */
export function SecretOnce({ url, secret, onClose }: SecretOnceProps): ReactElement {
  const [copied, setCopied] = useState<boolean | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const copy = async () => {
    const done = await copyText(secret);
    setCopied(done);
    // Without the right to copy, the reader copies what is selected.
    if (!done) input.current?.select();
  };
  const CopyIcon = copied ? IconCheck : IconCopy;
  return (
    <div className={styles.form}>
      <p className={styles.words}>
        Give it to the receiver at <span className="mono">{url}</span>, which checks with it that a message is
        from here. It is not shown again.
      </p>
      <div className={styles.fresh}>
        <TextInput
          ref={input}
          aria-label="Secret"
          readOnly
          value={secret}
          classNames={{ input: styles.secret ?? '' }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button
          variant="default"
          leftSection={<CopyIcon size={16} stroke={2} aria-hidden />}
          onClick={() => void copy()}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
        <span className={styles.status} role="status">
          {copied === false && 'This browser does not let the page copy: press Ctrl C.'}
        </span>
      </div>
      <div className={styles.buttons}>
        <Button onClick={onClose}>I have it</Button>
      </div>
    </div>
  );
}
