import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';

/** "E-12": how an experiment is called in lists, crumbs and toasts. */
export function experimentCode(id: number): string {
  return `E-${id}`;
}

/** A draft may have no name yet; lists and titles then say so. */
export function experimentTitle(name: string): string {
  return name.trim() === '' ? 'Untitled experiment' : name;
}

/** Where a row leads: a draft goes on in the wizard. */
export function experimentPath({ id, status }: Pick<ExperimentSummary, 'id' | 'status'>): string {
  return status === 'draft' ? `/experiments/${id}/edit` : `/experiments/${id}`;
}
