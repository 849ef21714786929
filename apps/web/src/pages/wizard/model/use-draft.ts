import { findFactor } from '@mqttlab/shared/catalogue/factors';
import { entryOf } from '@mqttlab/shared/domain/bounds';
import { draftTag } from '@mqttlab/shared/domain/plans/draft-tag';
import type { ExperimentDraft, Workload } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { call, keyOf, read } from '../../../api/client.ts';
import { storeExperiment } from '../../../api/use-call.ts';
import { type DraftState, DraftStore, makeLocalCopy, makePreviousDraft } from './draft-store.ts';

/**
 * Returns an experiment's draft with autosave. The calling component needs the experiment id as its React
 * key.
 */
export function useDraft(experiment: ExperimentDetail): { store: DraftStore; state: DraftState } {
  const client = useQueryClient();
  const { id } = experiment;
  const [store] = useState(
    () =>
      new DraftStore(experiment, {
        load: () => read('GET /experiments/{id}', { params: { id } }),
        save: (body, base) =>
          call('PUT /experiments/{id}/draft', {
            params: { id },
            body,
            // Saves only if the server still has the version that the changes are based on.
            headers: { 'if-match': draftTag(base) },
          }),
        local: makeLocalCopy(id, { local: window.localStorage, session: window.sessionStorage }),
        previous: makePreviousDraft(id, window.sessionStorage),
        now: () => Date.now(),
        onSaved: (saved) => storeExperiment(client, saved),
      }),
  );
  useEffect(() => {
    store.start();
    return () => store.stop();
  }, [store]);
  useHearOthers(store, experiment);
  useSaveWhenHidden(store);
  const state = useSyncExternalStore(store.subscribe, store.getState);
  return { store, state };
}

/** Maximum length of a name in the list. */
const nameLength = 60;

/** Derives a name from a question: its first sentence without punctuation, cut between words. */
export function nameOf(question: string): string {
  const [sentence = ''] = question.trim().split(/(?<=[.?!])\s|\n/);
  const words = sentence.replace(/[\s.?!]+$/, '');
  if (words.length <= nameLength) return words;
  return `${words.slice(0, nameLength).replace(/\s+\S*$/, '')}…`;
}

/** Changes the question of a draft, and its name unless the user has entered one. */
export function askedAs(draft: ExperimentDraft, question: string): Partial<ExperimentDraft> {
  const isTyped = draft.name.trim() !== '' && draft.name !== nameOf(draft.question);
  return isTyped ? { question } : { question, name: nameOf(question) };
}

/** Requests the draft again after a live event, which reports only that the draft changed. */
function useHearOthers(store: DraftStore, experiment: ExperimentDetail): void {
  const client = useQueryClient();
  const askedFor = useRef(0);
  useEffect(() => {
    const isNews = experiment.updatedAt > store.knownAtMs;
    store.hear(experiment);
    if (isNews && askedFor.current !== experiment.updatedAt) {
      askedFor.current = experiment.updatedAt;
      void client.invalidateQueries({
        queryKey: keyOf('GET /experiments/{id}', { params: { id: experiment.id } }),
      });
    }
  }, [store, experiment, client]);
}

function useSaveWhenHidden(store: DraftStore): void {
  useEffect(() => {
    const save = () => {
      if (document.visibilityState === 'hidden') void store.flush();
    };
    document.addEventListener('visibilitychange', save);
    return () => document.removeEventListener('visibilitychange', save);
  }, [store]);
}

const fieldNames: Readonly<Record<string, string>> = { testbedId: 'testbed', sampleHz: 'sample rate' };

/** Converts "measureMs" to "measure", "readingsPerMessage" to "readings per message". */
function partName(field: string): string {
  return field.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Returns the names of the fields and factors in which two drafts differ. */
export function changedFields(a: ExperimentDraft, b: ExperimentDraft): string[] {
  const differs = (x: unknown, y: unknown) => JSON.stringify(x) !== JSON.stringify(y);
  const ids = new Set([...Object.keys(a.factors), ...Object.keys(b.factors)]);
  const factors = [...ids].filter((id) => differs(a.factors[id], b.factors[id]));
  const fields = (Object.keys(a) as (keyof ExperimentDraft)[]).filter(
    (field) => field !== 'factors' && differs(a[field], b[field]),
  );
  const parts = (Object.keys(a.workload) as (keyof Workload)[]).filter((field) =>
    differs(a.workload[field], b.workload[field]),
  );
  return [
    ...fields.map((field) =>
      field === 'workload'
        ? `workload: ${parts.map(partName).join(', ')}`
        : (entryOf(fieldNames, field) ?? field),
    ),
    ...factors.map((id) => findFactor(id)?.label.toLowerCase() ?? id),
  ];
}
