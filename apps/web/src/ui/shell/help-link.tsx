import { ActionIcon } from '@mantine/core';
import { IconHelp } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { type UIMatch, useMatches } from 'react-router';

/** The server serves the documentation below this path, outside the application. */
export const documentationFolder = '/docs/';

/** `handle` of a route: the documentation page about it, for example "tutorial.html". */
export interface RouteHelp {
  help: string;
}

function hasHelp(match: UIMatch): match is UIMatch<unknown, RouteHelp> {
  return typeof match.handle === 'object' && match.handle !== null && 'help' in match.handle;
}

/**
 * Opens the documentation page about the current page, or the table of contents if there is none, in a new
 * tab.
 */
export function HelpLink(): ReactElement {
  const help = useMatches().findLast(hasHelp)?.handle.help ?? '';
  return (
    <ActionIcon
      component="a"
      href={`${documentationFolder}${help}`}
      target="_blank"
      rel="noopener"
      aria-label="Help for this page"
      title="Help for this page (opens in a new tab)"
    >
      <IconHelp size={16} stroke={2} aria-hidden />
    </ActionIcon>
  );
}
