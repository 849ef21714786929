import { useMediaQuery } from '@mantine/hooks';
import { useIsPhone } from '../../ui/use-is-phone.ts';

/** `wide` has room for the plan beside the step; below it stands in a bar that opens. */
export function useWizardLayout(): 'wide' | 'medium' | 'phone' {
  const isPhone = useIsPhone();
  const isWide = useMediaQuery('(min-width: 1180px)', true, { getInitialValueInEffect: false });
  return isPhone ? 'phone' : isWide ? 'wide' : 'medium';
}
