import { planShaping, type ShapingEnd } from '@mqttlab/shared/catalogue/plan-shaping';
import type { ShapingOrder } from '@mqttlab/shared/domain/plans/impairment';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RunDevice } from './run-devices.ts';
import { RunError } from './to-failure.ts';

/** What a device is told about its links: a part of its command to prepare. */
type ShapingPart = { shaping?: ShapingOrder };

/** Which device puts what on its links. Throws RunError where one of them cannot any more. */
export function shapeLinks(
  { impairment }: TrialSpec,
  devices: readonly RunDevice[],
): (device: RunDevice) => ShapingPart {
  const ends = devices.map(
    ({ deviceId, name, role, link }): ShapingEnd => ({
      id: deviceId,
      name,
      role,
      shaping: link.capabilities.shaping,
    }),
  );
  const plan = planShaping(impairment, ends);
  if (!plan.ok) {
    const { reason, remedy } = plan.refusal;
    throw new RunError({ code: 'link-not-impaired', message: `The run was not begun: ${reason}.`, remedy });
  }
  return ({ deviceId }) => {
    const shaping = plan.orders.get(deviceId);
    return shaping === undefined ? {} : { shaping };
  };
}
