import type { TimeService } from '@mqttlab/shared/domain/devices/capabilities';
import type { RunCommand } from '../children/programs.ts';

/** What keeps the wall clock of this device right; null when nothing tells. Bounded by `runCommand`. */
export async function readTimeService(runCommand: RunCommand): Promise<TimeService | null> {
  return (await askChrony(runCommand)) ?? (await askNtpd(runCommand)) ?? (await askSystemd(runCommand));
}

/** chronyc(1) -c tracking: fields 5 offset, 11 root delay and 12 root dispersion in s, 14 leap status. */
async function askChrony(runCommand: RunCommand): Promise<TimeService | null> {
  const fields = (await output(runCommand, 'chronyc', ['-c', 'tracking']))?.trim().split(',') ?? [];
  if (fields.length < 14) return null;
  const [offset, delay, dispersion] = [fields[4], fields[10], fields[11]].map(Number);
  const errorS = Math.abs(offset ?? Number.NaN) + (delay ?? Number.NaN) / 2 + (dispersion ?? Number.NaN);
  const synchronised = fields[13] !== 'Not synchronised';
  return {
    service: 'chrony',
    synchronised,
    estimatedErrorMs: synchronised && Number.isFinite(errorS) ? errorS * 1_000 : null,
  };
}

/** ntpq(1) -c rv: offset, rootdelay and rootdisp in ms; leap 11 (alarm) until it is synchronised. */
async function askNtpd(runCommand: RunCommand): Promise<TimeService | null> {
  const text = await output(runCommand, 'ntpq', ['-c', 'rv 0 offset,rootdelay,rootdisp,leap']);
  const value = (name: string) => new RegExp(`\\b${name}=([-+.\\d]+)`).exec(text ?? '')?.[1];
  const leap = value('leap');
  if (leap === undefined) return null;
  const errorMs =
    Math.abs(Number(value('offset'))) + Number(value('rootdelay')) / 2 + Number(value('rootdisp'));
  const synchronised = leap !== '11';
  return {
    service: 'ntpd',
    synchronised,
    estimatedErrorMs: synchronised && Number.isFinite(errorMs) ? errorMs : null,
  };
}

/** timedatectl(1): whether any service, and the kernel's adjtimex(2) state with it, says synchronised. */
async function askSystemd(runCommand: RunCommand): Promise<TimeService | null> {
  const text = await output(runCommand, 'timedatectl', ['show']);
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text ?? '')?.[1];
  const synchronised = value('NTPSynchronized');
  if (synchronised === undefined) return null;
  return {
    service: value('NTP') === 'yes' ? 'systemd-timesyncd' : 'unknown',
    synchronised: synchronised === 'yes',
    estimatedErrorMs: null,
  };
}

async function output(
  runCommand: RunCommand,
  program: string,
  args: readonly string[],
): Promise<string | null> {
  try {
    return await runCommand(program, args);
  } catch {
    // Not installed, not running or silent: another one may answer.
    return null;
  }
}
