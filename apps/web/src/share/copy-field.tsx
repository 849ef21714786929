import { Button, TextInput } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { type ReactElement, useCallback, useEffect, useRef, useState } from 'react';
import styles from './copy-field.module.css';
import { copyText } from './share-links.ts';

type CopyFieldProps = {
  label: string;
  text: string;
  /** Whether the text is copied when the field appears. */
  atOnce?: boolean;
};

/** A text with a copy button. */
export function CopyField({ label, text, atOnce = false }: CopyFieldProps): ReactElement {
  const [copied, setCopied] = useState<boolean | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const copy = useCallback(async () => {
    const done = await copyText(text);
    setCopied(done);
    // Without clipboard permission, the text is selected for manual copying.
    if (!done) input.current?.select();
  }, [text]);
  useEffect(() => {
    if (atOnce) void copy();
  }, [atOnce, copy]);
  const CopyIcon = copied ? IconCheck : IconCopy;
  return (
    <div className={styles.field}>
      <TextInput
        ref={input}
        aria-label={label}
        readOnly
        value={text}
        classNames={{ input: styles.text ?? '' }}
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
        {copied === false && 'This browser does not allow copying. Press Ctrl+C.'}
      </span>
    </div>
  );
}
