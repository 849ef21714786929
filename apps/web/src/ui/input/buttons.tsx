import {
  ActionIcon,
  type ActionIconProps,
  Button,
  type ButtonProps,
  FileButton,
  Tooltip,
} from '@mantine/core';
import { type Icon, IconFolderOpen } from '@tabler/icons-react';
import type { ComponentPropsWithRef, ReactElement, ReactNode } from 'react';
import { ActionButton } from './action-button.tsx';

type ChooseFileProps = { accept: string; onChoose: (file: File | null) => void };

/** Opens the browser's file chooser. */
export function ChooseFile({ accept, onChoose }: ChooseFileProps): ReactElement {
  return (
    <FileButton onChange={onChoose} accept={accept}>
      {(props) => (
        <ActionButton {...props} icon={IconFolderOpen}>
          Choose a file
        </ActionButton>
      )}
    </FileButton>
  );
}

type DangerButtonProps = Omit<ButtonProps, 'variant' | 'color'> & {
  /** Absent on a submit button. */
  onClick?: () => void;
  type?: 'button' | 'submit';
  children: ReactNode;
};

/** Red text on an ordinary button; dangerous actions never have a filled button. */
export function DangerButton(props: DangerButtonProps): ReactElement {
  return <Button {...props} variant="default" data-danger />;
}

type IconButtonProps = {
  icon: Icon;
  /** Tooltip and accessible name. */
  label: string;
  /** Object of the action, added to the accessible name if several buttons on the page have this label. */
  of?: string;
  /** `bordered` is 32 px high, for toolbars; otherwise 28 px, for panel headers. */
  bordered?: boolean;
  /** State of a toggle button. */
  pressed?: boolean;
} & Omit<ActionIconProps, 'variant' | 'size'> &
  Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps | 'children'>;

/** An icon-only button. It passes on the props of Menu.Target or Popover.Target. */
export function IconButton({
  icon: ButtonIcon,
  label,
  of,
  bordered,
  pressed,
  ...rest
}: IconButtonProps): ReactElement {
  return (
    <Tooltip label={label}>
      <ActionIcon
        {...rest}
        variant={bordered ? 'default' : 'subtle'}
        size={bordered ? 'lg' : 'md'}
        aria-label={of ? `${label}: ${of}` : label}
        aria-pressed={pressed}
      >
        <ButtonIcon size={16} stroke={2} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
