import type { TestbedStatus } from './shell-status.tsx';

/** "in use, 2 online, 1 off": what its devices are doing now. */
export function testbedWords({ isInUse, online, onStandby, off }: TestbedStatus): string {
  return [
    isInUse ? 'in use' : 'idle',
    ...(online > 0 ? [`${online} online`] : []),
    ...(off > 0 ? [`${off} off`] : []),
    ...(onStandby > 0 ? [`${onStandby} on standby`] : []),
  ].join(', ');
}
