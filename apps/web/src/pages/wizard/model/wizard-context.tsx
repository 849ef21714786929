import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { createContext, use } from 'react';
import type { DraftStore, SaveState } from './draft-store.ts';
import type { PlanForecast, PlanSoFar } from './plan-forecast.ts';
import type { usePreflight } from './preflight.ts';

/** Context shared by all steps of the wizard. */
export interface Wizard {
  experiment: ExperimentDetail;
  draft: ExperimentDraft;
  edit: (change: Partial<ExperimentDraft>) => void;
  save: SaveState;
  store: DraftStore;
  testbeds: readonly TestbedStatus[];
  /**
   * The testbed of the draft, or the first testbed if the draft names none or the named testbed is missing.
   */
  testbed: TestbedStatus;
  planning: PlanSoFar;
  forecast: PlanForecast;
  preflight: ReturnType<typeof usePreflight>;
}

export const WizardContext = createContext<Wizard | null>(null);

export function useWizard(): Wizard {
  const wizard = use(WizardContext);
  if (!wizard) throw new Error('useWizard outside the wizard');
  return wizard;
}
