import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../../api/client.ts';
import { keepExperiment } from '../../api/mutations.ts';
import { showProblem } from '../../api/show-problem.tsx';
import { useWizard } from './wizard-context.tsx';

/** Saves what is left, starts, and leads to the live page. */
export function useStart(): { run: () => void; isPending: boolean } {
  const { experiment, store } = useWizard();
  const [isPending, setPending] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const { id } = experiment;
  const run = async () => {
    setPending(true);
    try {
      if (!(await store.flush())) {
        throw new Error('The draft is not saved yet, so the server would start another plan.');
      }
      const started = await api.act(id, 'start');
      // The wizard of a started experiment is gone, so the page changes before the news is spread.
      await navigate(`/experiments/${id}`);
      keepExperiment(client, started);
    } catch (error) {
      showProblem('Not started', error);
    } finally {
      setPending(false);
    }
  };
  return { run: () => void run(), isPending };
}
