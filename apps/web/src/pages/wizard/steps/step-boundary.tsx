import { Button } from '@mantine/core';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { Component, type ReactElement, type ReactNode } from 'react';
import { ErrorState } from '../../../ui/states.tsx';
import { changedFields } from '../model/use-draft.ts';
import { useWizard } from '../model/wizard-context.tsx';

type StepBoundaryProps = {
  /** A change of this value renders the failed step again. */
  draft: ExperimentDraft;
  children: ReactNode;
};

/** Shows an error instead of a step that cannot be rendered; the rest of the wizard keeps working. */
export class StepBoundary extends Component<StepBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidUpdate({ draft }: StepBoundaryProps): void {
    if (this.state.hasFailed && draft !== this.props.draft) this.setState({ hasFailed: false });
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <FailedStep /> : this.props.children;
  }
}

/** Names the field of the last change and offers to undo it. */
function FailedStep(): ReactElement {
  const { store, draft } = useWizard();
  const { previous } = store;
  const fields = previous ? changedFields(previous, draft).join(', ') : '';
  return (
    <ErrorState
      happened="This step could not be displayed."
      lost="Your draft is saved."
      nextStep={fields ? `Undo the last change (${fields}).` : 'Open another step, or reload the page.'}
      action={
        fields && (
          <Button variant="default" onClick={() => store.undo()}>
            Undo the last change
          </Button>
        )
      }
    />
  );
}
