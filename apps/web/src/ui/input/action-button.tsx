import { Button, type ButtonProps, Menu } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { Fragment, type ReactElement, type ReactNode } from 'react';
import { Link } from 'react-router';

type ActionButtonProps = Pick<ButtonProps, 'variant' | 'size' | 'loading' | 'disabled' | 'className'> & {
  icon: Icon;
  /** Where it leads; a link then. */
  to?: string;
  onClick?: (() => void) | undefined;
  children: ReactNode;
};

const look = { size: 16, stroke: 2, 'aria-hidden': true } as const;

/** A button or link of an icon and a word, quiet unless told otherwise. */
export function ActionButton(props: ActionButtonProps): ReactElement {
  const { icon: ButtonIcon, to, variant = 'default', ...rest } = props;
  const shown = { ...rest, variant, leftSection: <ButtonIcon {...look} /> };
  return to === undefined ? <Button {...shown} /> : <Button component={Link} to={to} {...shown} />;
}

export type MenuAction = { label: string; icon: Icon } & (
  | { onClick: () => void; isDanger?: boolean }
  | { /** Of a file to be saved. */ href: string }
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
