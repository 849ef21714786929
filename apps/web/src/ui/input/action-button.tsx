import { Button, type ButtonProps, Menu } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { type ComponentPropsWithRef, Fragment, type ReactElement } from 'react';
import { Link } from 'react-router';

type ActionButtonProps = {
  icon: Icon;
  /** 28 px high, for panel heads and rows. */
  small?: boolean;
  /** Address of a page; if set, renders a link. */
  to?: string;
} & Omit<ButtonProps, 'leftSection' | 'size'> &
  Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps>;

const look = { size: 16, stroke: 2, 'aria-hidden': true } as const;

/** A button or link with an icon and words. */
export function ActionButton(props: ActionButtonProps): ReactElement {
  const { icon: ButtonIcon, small = false, to, ...rest } = props;
  const shown = {
    variant: 'default',
    ...(small && { size: 'xs' }),
    ...rest,
    leftSection: <ButtonIcon {...look} size={small ? 14 : 16} />,
  };
  if (to === undefined) return <Button {...shown} />;
  return <Button {...(shown as ButtonProps)} component={Link} to={to} />;
}

export type MenuAction = { label: string; icon: Icon } & (
  | { onClick: () => void; isDanger?: boolean }
  | { /** Address of a file to save. */ href: string }
);

/** The entries of a menu, with a line between groups. */
export function MenuActions({ groups }: { groups: readonly (readonly MenuAction[])[] }): ReactElement {
  return (
    <Menu.Dropdown>
      {groups.map((actions, i) => (
        <Fragment key={actions[0]?.label}>
          {i > 0 && <Menu.Divider />}
          {actions.map((action) => (
            <ActionItem key={action.label} {...action} />
          ))}
        </Fragment>
      ))}
    </Menu.Dropdown>
  );
}

function ActionItem({ label, icon: ItemIcon, ...action }: MenuAction): ReactElement {
  const shown = { leftSection: <ItemIcon {...look} />, children: label };
  if ('href' in action) return <Menu.Item component="a" href={action.href} download {...shown} />;
  const colour = action.isDanger ? { color: 'red' } : {};
  return <Menu.Item {...colour} {...shown} onClick={action.onClick} />;
}
