import { captureRemedy } from '@mqttlab/shared/catalogue/factors/capture';
import { entryOf } from '@mqttlab/shared/domain/bounds';
import type { InterfaceKind } from '@mqttlab/shared/domain/devices/capabilities';
import { bridgeRoles as neededForBridge } from '@mqttlab/shared/domain/devices/device';
import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { CaptureLevel } from '@mqttlab/shared/domain/runs/capture';
import type { StudyNeed } from '@mqttlab/shared/planning/study';

/**
 * True if all devices are on one machine, on which every address is reached over loopback, regardless of its
 * interface.
 */
function isOneMachine(testbed: TestbedView): boolean {
  return testbed.links.some(({ kind }) => kind === 'loopback');
}

/**
 * The kind of a virtual interface is meaningless, so the link name determines the kind that it represents.
 */
const namedKinds: Readonly<Record<string, InterfaceKind>> = {
  ethernet: 'ethernet',
  wifi: 'wifi',
  lte: 'cellular',
  cellular: 'cellular',
};

function kindOf({ name, kind }: TestbedView['links'][number]): InterfaceKind {
  return kind === 'virtual' ? (entryOf(namedKinds, name) ?? kind) : kind;
}

/** Returns the names of links of these kinds; the default link if there are none. */
export function linksOfKinds(testbed: TestbedView, kinds: readonly InterfaceKind[]): string[] {
  const found = isOneMachine(testbed) ? [] : testbed.links.filter((link) => kinds.includes(kindOf(link)));
  const fallback =
    testbed.links.find(({ kind }) => kind === 'loopback')?.name ?? testbed.links[0]?.name ?? 'lo';
  return found.length > 0 ? found.map(({ name }) => name) : [fallback];
}

export function needLink(kind: InterfaceKind, label: string): StudyNeed {
  return {
    label,
    refuse: (testbed) => {
      if (isOneMachine(testbed)) {
        return {
          reason: 'broker and clients are on one machine, so all traffic uses its loopback interface',
          remedy: 'Add devices on the Devices page and create a testbed with such a link.',
        };
      }
      if (testbed.links.some((link) => kindOf(link) === kind)) return null;
      return {
        reason: 'the testbed has no active link of this kind',
        remedy: 'Add such a link on the Devices page.',
      };
    },
  };
}

/** Without a meter, energy of a different quality is still recorded and labelled. */
export const measuredEnergy: StudyNeed = {
  label: 'Energy from a meter',
  refuse: ({ clientDevices }) =>
    clientDevices.length > 0 &&
    clientDevices.every(({ energy }) => energy.some(({ quality }) => quality === 'measured'))
      ? null
      : {
          reason:
            'no meter is attached; energy is modelled from CPU time, read from an on-board sensor, or missing',
          remedy: 'Attach a meter, or upload its readings on the run page.',
        },
};

export const hardwareCounters: StudyNeed = {
  label: 'Hardware counters (cycles, instructions, cache)',
  refuse: ({ clientDevices }) => {
    const refusal = clientDevices.find(({ perfRefusal }) => perfRefusal !== null)?.perfRefusal;
    return refusal === undefined || refusal === null
      ? null
      : {
          reason: `the kernel provides no counters: ${refusal}`,
          remedy: 'Allow perf_event_open(2) on the devices. CPU time is measured in any case.',
        };
  },
};

export const switchableAes: StudyNeed = {
  label: 'AES instructions that can be switched off',
  refuse: ({ aesRefusal }) =>
    aesRefusal === null
      ? null
      : { reason: aesRefusal, remedy: 'Choose devices whose CPU has AES instructions.' },
};

export const packetCapture: StudyNeed = {
  label: 'Packets captured at the broker',
  refuse: ({ captureRefusal }) =>
    captureRefusal === null
      ? null
      : { reason: `packets cannot be captured there: ${captureRefusal}`, remedy: captureRemedy },
};

/** Captures complete packets if the testbed supports it. Otherwise the part runs without captures. */
export function captureOf({ captureRefusal }: TestbedView): CaptureLevel[] {
  return [captureRefusal === null ? 'full' : 'none'];
}

export const bridgeRoles: StudyNeed = {
  label: 'A bridge and a cloud broker',
  refuse: ({ roles }) => {
    const missing = neededForBridge.filter((role) => !roles.includes(role));
    return missing.length === 0
      ? null
      : {
          reason: `no device has the role ${missing.join(' or ')}; messages are sent directly to the subscriber`,
          remedy: 'Give these roles to devices on the Devices page, or choose the built-in testbed.',
        };
  },
};
