import {
  type DeviceHealth,
  type DeviceState,
  findHealthProblems,
  type HealthReading,
  healthReadingOf,
} from '@mqttlab/shared/domain/devices/device-health';

interface DeviceStatesOptions {
  isOnline: (deviceId: string) => boolean;
  /** Returns true while the device is executing a run or a check, or is being installed. */
  isBusy: (deviceId: string) => boolean;
  /** The device reported. */
  onContact: (deviceId: string) => void;
  /** Called when the state or its reason changed. */
  onChange: (deviceId: string) => void;
  nowMs: () => number;
}

interface DeviceStatus {
  state: DeviceState;
  /** Why the device is degraded; also set while the device is busy. */
  reasons: string[];
}

/** Minimum interval in ms between stored contacts, because devices report more often. */
const contactEveryMs = 60_000;

export type DeviceStates = ReturnType<typeof makeDeviceStates>;

/** Tracks the state of each device from its connection, its activity and its agent's health reports. */
export function makeDeviceStates(options: DeviceStatesOptions) {
  const failures = new Map<string, string[]>();
  const contacts = new Map<string, number>();
  const latest = new Map<string, { health: DeviceHealth; receivedAt: number }>();
  return {
    findDeviceStatus(deviceId: string): DeviceStatus {
      if (!options.isOnline(deviceId)) return { state: 'offline', reasons: [] };
      const reasons = failures.get(deviceId) ?? [];
      if (options.isBusy(deviceId)) return { state: 'busy', reasons };
      return { state: reasons.length > 0 ? 'degraded' : 'online', reasons };
    },
    /** Returns the last health report; null if the device has sent none since it connected. */
    findHealth: (deviceId: string): DeviceHealth | null => latest.get(deviceId)?.health ?? null,
    /** Returns the last health report in words; null if the device is offline. */
    findHealthReading(deviceId: string): HealthReading | null {
      const found = latest.get(deviceId);
      if (found === undefined || !options.isOnline(deviceId)) return null;
      return healthReadingOf(found.health, found.receivedAt);
    },
    /** Stores the health that an agent reported. */
    noteHealth(deviceId: string, health: DeviceHealth): void {
      const now = options.nowMs();
      latest.set(deviceId, { health, receivedAt: now });
      if (now - (contacts.get(deviceId) ?? 0) >= contactEveryMs) {
        contacts.set(deviceId, now);
        options.onContact(deviceId);
      }
      const found = findHealthProblems(health, now);
      const isSame = found.join('\n') === (failures.get(deviceId) ?? []).join('\n');
      failures.set(deviceId, found);
      if (!isSame) options.onChange(deviceId);
    },
    /** Discards the last report of a device that disconnected. */
    forgetDevice(deviceId: string): void {
      failures.delete(deviceId);
      latest.delete(deviceId);
      contacts.delete(deviceId);
      options.onContact(deviceId);
    },
  };
}
