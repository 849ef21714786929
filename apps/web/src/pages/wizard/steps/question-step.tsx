import { TagsInput, Textarea, TextInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useApi } from '../../../api/use-api.ts';
import { Field } from '../../../ui/input/field.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { issueOfField } from '../model/steps.ts';
import { askedAs } from '../model/use-draft.ts';
import { useWizard } from '../model/wizard-context.tsx';
import styles from './question-step.module.css';
import { StepHead } from './step-frame.tsx';

/** Maximum number of tags per draft. */
const maxTags = 20;

export function QuestionStep(): ReactElement {
  const { draft, edit, planning } = useWizard();
  // A form that the user has not edited shows no problems.
  const [isBegun, setIsBegun] = useState(draft.question.trim() !== '');
  const known = useApi('GET /experiments', { query: { limit: 1 } }).data?.tags ?? [];
  return (
    <>
      <StepHead title="Question" lead="One sentence that the result will answer." />
      <Panel padded>
        <div className={styles.form}>
          <Field
            label="What do you want to know?"
            hint="Shown above every chart, so that readers know the purpose of the experiment."
          >
            {(control) => (
              <Textarea
                {...control}
                autosize
                minRows={2}
                maxRows={6}
                maxLength={2000}
                placeholder="How much latency and CPU does TLS 1.3 add to plain MQTT?"
                value={draft.question}
                onChange={(event) => edit(askedAs(draft, event.currentTarget.value))}
              />
            )}
          </Field>
          <Field
            label="Name"
            hint="Short name for lists and tabs. Derived from the question until you type one."
            problem={isBegun ? issueOfField(planning.issues, 'name') : undefined}
          >
            {(control) => (
              <TextInput
                {...control}
                maxLength={200}
                placeholder="Cost of TLS 1.3"
                value={draft.name}
                onBlur={() => setIsBegun(true)}
                onChange={(event) => edit({ name: event.currentTarget.value })}
              />
            )}
          </Field>
          <Field label="Tags" hint="Press Enter after each tag. Tags group experiments in the list.">
            {(control) => (
              <TagsInput
                {...control}
                data={known}
                value={draft.tags}
                maxTags={maxTags}
                openOnFocus={false}
                withScrollArea={false}
                classNames={{ inputField: styles.tagField ?? '', dropdown: styles.known ?? '' }}
                onChange={(tags) => edit({ tags: tags.map((tag) => tag.slice(0, 40)) })}
              />
            )}
          </Field>
          <Field
            label="Notes"
            hint="Set-up, hypotheses and other information for readers. Can be changed later."
          >
            {(control) => (
              <Textarea
                {...control}
                autosize
                minRows={3}
                maxRows={12}
                maxLength={20_000}
                value={draft.notes}
                onChange={(event) => edit({ notes: event.currentTarget.value })}
              />
            )}
          </Field>
        </div>
      </Panel>
    </>
  );
}
