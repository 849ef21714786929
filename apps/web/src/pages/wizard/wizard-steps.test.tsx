import { MantineProvider } from '@mantine/core';
import { makeTourDraft } from '@mqttlab/shared/catalogue/tour';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import { act, type ReactElement, type ReactNode, useState } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { mountEachTest } from '../../testing/mount.ts';
import { makePlanSoFar } from './model/plan-forecast.ts';
import { useWizard, type Wizard, WizardContext } from './model/wizard-context.tsx';
import { FactorsStep } from './steps/factors-step.tsx';
import { ThresholdFields } from './steps/repetitions-step.tsx';
import { StepBoundary } from './steps/step-boundary.tsx';

// @vitest-environment jsdom
const mounted = mountEachTest();
beforeEach(() => {
  Element.prototype.scrollIntoView = () => undefined;
});
afterEach(() => vi.restoreAllMocks());

const testbed = makeTestbed();
const tour = makeTourDraft(testbed.testbedId);

/** A wizard that edits a draft and can undo the last change. */
function TestWizard({ initial, children }: { initial: ExperimentDraft; children: ReactNode }): ReactElement {
  const [draft, setDraft] = useState(initial);
  const [previous, setPrevious] = useState<ExperimentDraft | null>(null);
  edit = (change) => {
    setPrevious(draft);
    setDraft({ ...draft, ...change });
  };
  const store = { previous, undo: () => previous && setDraft(previous) };
  const wizard = { draft, edit, store, planning: makePlanSoFar(draft, testbed) } as unknown as Wizard;
  return (
    <MantineProvider env="test">
      <WizardContext value={wizard}>
        <StepBoundary draft={draft}>{children}</StepBoundary>
      </WizardContext>
    </MantineProvider>
  );
}
let edit: (change: Partial<ExperimentDraft>) => void = () => undefined;

/** Fails like React on an endless update loop of a field. */
function FragileStep(): ReactElement {
  const { measureMs } = useWizard().draft.workload;
  if (measureMs === 16_384_005) throw new Error('Minified React error #301');
  return <p>The step</p>;
}

function button(name: string): HTMLButtonElement {
  const found = [...document.querySelectorAll('button')].find((one) => one.textContent?.includes(name));
  if (!found) throw new Error(`no button ${name}`);
  return found;
}

it('shows a failed step with the changed field, and undoes the change', () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  act(() =>
    mounted.root.render(
      <TestWizard initial={tour}>
        <FragileStep />
      </TestWizard>,
    ),
  );
  expect(mounted.host.textContent).toContain('The step');
  act(() => edit({ workload: { ...tour.workload, measureMs: 16_384_005 } }));
  expect(mounted.host.querySelector('[role=alert]')?.textContent).toContain(
    'This step could not be displayed.Your draft is saved.Undo the last change (workload: measure).',
  );
  expect(mounted.host.textContent).not.toContain('React error');
  act(() => button('Undo the last change').click());
  expect(mounted.host.textContent).toContain('The step');
});

it('moves the focus to the row of a factor that is varied from the keyboard', () => {
  act(() =>
    mounted.root.render(
      <TestWizard initial={tour}>
        <FactorsStep />
      </TestWizard>,
    ),
  );
  act(() => button('Payload').click());
  const vary = [...document.querySelectorAll('button')].find((one) => one.textContent?.startsWith('Vary '));
  const name = vary?.textContent?.replace('Vary ', '') ?? '';
  act(() => vary?.focus());
  act(() => vary?.click());
  expect(document.activeElement).not.toBe(document.body);
  expect(document.activeElement?.closest('fieldset')?.querySelector('legend')?.textContent).toContain(
    `Levels of ${name}`,
  );
});

it('names the exit code of the command line for a threshold that fails', () => {
  act(() =>
    mounted.root.render(
      <TestWizard initial={tour}>
        <ThresholdFields />
      </TestWizard>,
    ),
  );
  expect(mounted.host.textContent).toContain('the command line exits with 99 if a threshold is broken');
});
