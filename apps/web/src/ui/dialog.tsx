import { Button, Modal } from '@mantine/core';
import type { FormEvent, ReactElement, ReactNode } from 'react';
import styles from './dialog.module.css';
import { DangerButton } from './input/buttons.tsx';

type DialogProps = {
  title: ReactNode;
  /** Width, px. */
  size: number;
  opened: boolean;
  onClose: () => void;
  /** Whether only the buttons close the dialog, and not a click outside or Escape. */
  staysOpen?: boolean;
  children: ReactNode;
};

/** A dialog with a title and a close button. Its content is mounted each time it opens. */
export function Dialog(props: DialogProps): ReactElement {
  const { title, size, opened, onClose, staysOpen = false, children } = props;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      withCloseButton={false}
      closeOnClickOutside={!staysOpen}
      closeOnEscape={!staysOpen}
      size={size}
    >
      <div className={styles.head}>
        <Modal.Title>{title}</Modal.Title>
        <Modal.CloseButton aria-label="Close" />
      </div>
      {opened && children}
    </Modal>
  );
}

type DialogFormProps = {
  /** Absent if the dialog submits nothing. */
  onSubmit?: (event: FormEvent<HTMLFormElement>) => void;
  /** Disables the browser's validation messages. */
  noValidate?: boolean;
  /** Buttons at the end; the submit button is last. */
  buttons: ReactNode;
  children: ReactNode;
};

/** The stacked fields of a dialog and its buttons. */
export function DialogForm({ onSubmit, noValidate, buttons, children }: DialogFormProps): ReactElement {
  const content = (
    <>
      {children}
      <div className={styles.buttons}>{buttons}</div>
    </>
  );
  if (!onSubmit) return <div className={styles.form}>{content}</div>;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(event);
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate={noValidate}>
      {content}
    </form>
  );
}

type ConfirmDialogProps = Pick<DialogProps, 'title' | 'opened' | 'onClose'> & {
  /** Description of the irreversible action. */
  words: ReactNode;
  /** Button label: "Remove account". */
  action: string;
  isPending: boolean;
  onConfirm: () => void;
};

/** Asks for confirmation before an irreversible action. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactElement {
  const { title, opened, onClose, words, action, isPending, onConfirm } = props;
  return (
    <Dialog title={title} size={440} opened={opened} onClose={onClose}>
      <DialogForm
        buttons={
          <>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <DangerButton loading={isPending} onClick={onConfirm}>
              {action}
            </DangerButton>
          </>
        }
      >
        <p>{words}</p>
      </DialogForm>
    </Dialog>
  );
}
