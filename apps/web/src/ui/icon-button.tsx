import { ActionIcon, Tooltip } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactElement } from 'react';

export type IconButtonProps = {
  icon: Icon;
  /** Accessible name and tooltip. */
  label: string;
  onClick: () => void;
  /** `bordered` is 32 high, for toolbars; the quiet one is 28, for panel heads. */
  bordered?: boolean;
  disabled?: boolean;
  /** For a button that switches something on and off. */
  pressed?: boolean;
};

export function IconButton({ icon: ButtonIcon, label, onClick, ...rest }: IconButtonProps): ReactElement {
  const { bordered = false, disabled = false, pressed } = rest;
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant={bordered ? 'default' : 'subtle'}
        size={bordered ? 'lg' : 'md'}
        aria-label={label}
        aria-pressed={pressed}
        disabled={disabled}
        onClick={onClick}
      >
        <ButtonIcon size={16} stroke={2} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
