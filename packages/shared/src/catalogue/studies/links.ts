import type { InterfaceKind } from '../../domain/devices/capabilities.ts';
import type { TestbedView } from '../../domain/devices/testbed-view.ts';
import type { StudyNeed } from './study.ts';

/** On one machine every address is reached through the loopback, whatever interface carries it. */
function isOneMachine(testbed: TestbedView): boolean {
  return testbed.links.some(({ kind }) => kind === 'loopback');
}

/** A virtual interface tells nothing: there the name that people gave the link says what it stands for. */
const namedKinds: Readonly<Record<string, InterfaceKind>> = {
  ethernet: 'ethernet',
  wifi: 'wifi',
  lte: 'cellular',
  cellular: 'cellular',
};

function kindOf({ name, kind }: TestbedView['links'][number]): InterfaceKind {
  return kind === 'virtual' ? (namedKinds[name] ?? kind) : kind;
}

/** Names of the links of these kinds; the default link where there is none. */
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
          reason: 'broker and clients are on one machine, so that everything travels over its loopback',
          remedy: 'Add devices on the Devices page and make a testbed of them with such a link.',
        };
      }
      if (testbed.links.some((link) => kindOf(link) === kind)) return null;
      return {
        reason: 'the testbed has no link of this kind that is up',
        remedy: 'Name one on the Devices page.',
      };
    },
  };
}
