import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ComponentPropsWithRef, ReactElement } from 'react';

export type IconButtonProps = {
  icon: Icon;
  /** Accessible name and tooltip. */
  label: string;
  /** `bordered` is 32 high, for toolbars; the quiet one is 28, for panel heads. */
  bordered?: boolean;
  /** For a button that switches something on and off. */
  pressed?: boolean;
} & Omit<ActionIconProps, 'variant' | 'size'> &
  Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps | 'children'>;

/** A button that is only an icon; passes on what a Menu.Target or Popover.Target gives it. */
export function IconButton({
  icon: ButtonIcon,
  label,
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
        aria-label={label}
        aria-pressed={pressed}
      >
        <ButtonIcon size={16} stroke={2} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
