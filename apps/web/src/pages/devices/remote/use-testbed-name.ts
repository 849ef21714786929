import { useTestbeds } from '../../../api/queries.ts';

/** As people call it; its id until that is known. */
export function useTestbedName(testbedId: string): string {
  return useTestbeds().data?.find((testbed) => testbed.testbedId === testbedId)?.name ?? testbedId;
}
