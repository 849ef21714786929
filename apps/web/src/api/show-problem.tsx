import { notifications } from '@mantine/notifications';
import { IconAlertCircle } from '@tabler/icons-react';
import { problemOf } from './describe-error.ts';

/** A toast for an action that failed; it stays until it is closed. `action` begins the sentence: "E-7 was not deleted". */
export function showProblem(action: string, error: unknown): void {
  const { detail, remedy } = problemOf(error);
  notifications.show({
    title: action,
    message: `${detail} ${remedy}`,
    icon: <IconAlertCircle size={18} stroke={2} aria-hidden />,
    color: 'red',
    autoClose: false,
    withBorder: true,
  });
}
