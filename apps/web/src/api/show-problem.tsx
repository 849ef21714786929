import { notifications } from '@mantine/notifications';
import { ApiError } from '@mqttlab/shared/messages/api-client';
import type { Problem } from '@mqttlab/shared/messages/http';
import { IconAlertCircle } from '@tabler/icons-react';

/**
 * Shows a toast for a failed action, which stays until it is closed. `action` starts the sentence: "E-7 was
 * not deleted".
 */
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

/** Returns the problem to show for any thrown value: the server's message if there is one. */
export function problemOf(
  error: unknown,
): Pick<Problem, 'title' | 'detail' | 'remedy' | 'issues' | 'status'> {
  if (error instanceof ApiError) return error.problem;
  return {
    title: 'The page failed',
    detail: error instanceof Error ? error.message : 'The page stopped with an unknown error.',
    remedy: 'Reload the page. If it fails again, copy the message into a report.',
    issues: [],
    status: 0,
  };
}
