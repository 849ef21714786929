import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { act } from 'react';
import { expect, it } from 'vitest';
import { mountEachTest } from '../../testing/mount.ts';
import type { ComparisonViewModel } from './comparison-view-model.ts';
import { EnvironmentNotice } from './parameters-panel.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();

/** The first two treatments of the tour, with their kernels. */
function noticeOf(kernels: readonly string[]): string {
  const parsed = parsePlan(makeDraft(), makeTestbed());
  if (!parsed.ok) throw new Error('the tour is a plan');
  const { treatments } = parsed.plan;
  const shown = kernels.map((kernel, index) => ({
    treatment: treatments[index],
    environment: { 'device.kernel': [kernel] },
  }));
  act(() => mounted.root.render(<EnvironmentNotice model={{ shown } as unknown as ComparisonViewModel} />));
  return mounted.host.textContent;
}

it('warns of runs that were executed in different environments, and only of those', () => {
  expect(noticeOf(['6.1', '6.6'])).toMatch(
    /^Kernel differs between the compared runs\. ?Differences between treatments may come from the environment/,
  );
  expect(noticeOf(['6.1', '6.1'])).toBe('');
});
