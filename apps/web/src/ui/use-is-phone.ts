import { useMediaQuery } from '@mantine/hooks';

/** True below 768 px, where the page becomes one column with its controls at the bottom. */
export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 767.98px)', false, { getInitialValueInEffect: false });
}
