import type { DeviceSettings } from '@mqttlab/shared/messages/device-settings';
import { UsageError } from '../../arguments.ts';
import type { CommandContext, ExitCode } from '../../context.ts';

/** What `--source none` and the like stand for. */
const nothing = 'none';

/** Shows what was said about the energy of a device, or says something else; "none" takes a setting back. */
export async function deviceEnergy({ api, args, print }: CommandContext): Promise<ExitCode> {
  const name = args.positionals[1];
  if (!name) throw new UsageError('name the device; "device list" shows them');
  const params = { id: name };
  const before = await api.call('GET /devices/{id}/settings', { params });
  const told = {
    ...textOf('energySource', args.source),
    ...textOf('meterUrl', args.meter),
    ...numberOf('supplyVolts', args.volts),
    ...numberOf('batteryMah', args.battery),
  };
  const body = { ...before, ...told };
  const settings =
    Object.keys(told).length === 0
      ? before
      : await api.call('PUT /devices/{id}/settings', { params, body: body as DeviceSettings });
  const { energySource, meterUrl, supplyVolts, batteryMah } = settings;
  if (args.json) print(JSON.stringify(settings));
  else {
    print(
      [
        `Source:  ${energySource ?? 'the best that answers'}`,
        `Meter:   ${meterUrl ?? 'none'}`,
        `Supply:  ${supplyVolts === null ? 'not said' : `${supplyVolts} V`}`,
        `Battery: ${batteryMah === null ? 'none' : `${batteryMah} mAh`}`,
      ].join('\n'),
    );
  }
  return 0;
}

function textOf(field: string, text: string | null): Record<string, string | null> {
  return text === null ? {} : { [field]: text === nothing ? null : text };
}

/** What is no number goes to the server as it is, which names the field. */
function numberOf(field: string, text: string | null): Record<string, string | number | null> {
  if (text === null) return {};
  if (text === nothing) return { [field]: null };
  return { [field]: Number.isFinite(Number(text)) ? Number(text) : text };
}
