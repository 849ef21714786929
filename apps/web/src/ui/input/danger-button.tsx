import { Button, type ButtonProps } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

export type DangerButtonProps = Omit<ButtonProps, 'variant' | 'color'> & {
  /** Left out on a button that sends its form. */
  onClick?: () => void;
  type?: 'button' | 'submit';
  children: ReactNode;
};

/** Red text on an ordinary button: danger is never filled. */
export function DangerButton(props: DangerButtonProps): ReactElement {
  return <Button {...props} variant="default" data-danger />;
}
