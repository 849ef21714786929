import { useMediaQuery } from '@mantine/hooks';

export type ListRoom = 'full' | 'medium' | 'narrow' | 'least';

const now = { getInitialValueInEffect: false };

/** How many columns of the list the window has room for. */
export function useListRoom(): ListRoom {
  const isFull = useMediaQuery('(min-width: 1240px)', true, now);
  const isMedium = useMediaQuery('(min-width: 1140px)', true, now);
  const isNarrow = useMediaQuery('(min-width: 1000px)', true, now);
  return isFull ? 'full' : isMedium ? 'medium' : isNarrow ? 'narrow' : 'least';
}
