import {
  type DeviceHealth,
  type DeviceState,
  findHealthTroubles,
} from '@mqttlab/shared/domain/devices/device-health';

interface DeviceStatesOptions {
  isOnline: (deviceId: string) => boolean;
  /** Carries out a run or a check, or is being installed. */
  isBusy: (deviceId: string) => boolean;
  /** The device reported. */
  onContact: (deviceId: string) => void;
  /** It is in another state than before, or for another reason. */
  onChange: (deviceId: string) => void;
  nowMs: () => number;
}

interface DeviceStatus {
  state: DeviceState;
  /** Why it is not as it should be, in words; also while it is busy. */
  reasons: string[];
}

/** Contacts are stored at most once a minute, because devices report more often. */
const contactEveryMs = 60_000;

export type DeviceStates = ReturnType<typeof makeDeviceStates>;

/** How each device is, from whether it is connected, what it does and what its agent says. */
export function makeDeviceStates(options: DeviceStatesOptions) {
  const troubles = new Map<string, string[]>();
  const contacts = new Map<string, number>();
  const latest = new Map<string, DeviceHealth>();
  return {
    of(deviceId: string): DeviceStatus {
      if (!options.isOnline(deviceId)) return { state: 'offline', reasons: [] };
      const reasons = troubles.get(deviceId) ?? [];
      if (options.isBusy(deviceId)) return { state: 'busy', reasons };
      return { state: reasons.length > 0 ? 'degraded' : 'online', reasons };
    },
    /** What its agent said last; null where it has said nothing since it came. */
    healthOf: (deviceId: string): DeviceHealth | null => latest.get(deviceId) ?? null,
    /** What its agent says of the device. */
    note(deviceId: string, health: DeviceHealth): void {
      latest.set(deviceId, health);
      const now = options.nowMs();
      if (now - (contacts.get(deviceId) ?? 0) >= contactEveryMs) {
        contacts.set(deviceId, now);
        options.onContact(deviceId);
      }
      const found = findHealthTroubles(health, now);
      const isSame = found.join('\n') === (troubles.get(deviceId) ?? []).join('\n');
      troubles.set(deviceId, found);
      if (!isSame) options.onChange(deviceId);
    },
    /** The device disconnected: discards its last report. */
    forget(deviceId: string): void {
      troubles.delete(deviceId);
      latest.delete(deviceId);
      contacts.delete(deviceId);
      options.onContact(deviceId);
    },
  };
}
