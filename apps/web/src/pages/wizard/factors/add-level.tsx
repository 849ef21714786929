import { Button, TextInput } from '@mantine/core';
import type { FactorDefinition } from '@mqttlab/shared/domain/factor';
import { IconPlus } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactElement, useId, useState } from 'react';
import { type FieldProblem, FieldProblemLine } from '../../../ui/input/field.tsx';
import styles from './add-level.module.css';
import { boundsWords } from './parse-level.ts';
import type { Levels } from './use-levels.ts';

type AddLevelProps = { factor: FactorDefinition; levels: Levels; mode: 'one' | 'many' };

/** A number of one's own; what is wrong with it is said with the remedy. */
export function AddLevel({ factor, levels, mode }: AddLevelProps): ReactElement {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<FieldProblem | undefined>();
  const problemId = useId();
  const submit = () => {
    const parsed = levels.parse(text);
    if (!parsed.ok) {
      setProblem(parsed.problem);
      return;
    }
    if (mode === 'one') levels.choose(parsed.value);
    else levels.add(parsed.value);
    setText('');
    setProblem(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') submit();
  };
  return (
    <>
      <span className={styles.add}>
        <TextInput
          size="xs"
          className={styles.input}
          inputMode="decimal"
          aria-label={`Add a value of ${factor.label}${factor.unit ? `, ${factor.unit}` : ''}`}
          aria-describedby={problem ? problemId : undefined}
          error={problem !== undefined}
          placeholder="Add a value"
          title={`A number ${boundsWords(factor)}`}
          value={text}
          rightSection={factor.unit && <span className="dim">{factor.unit}</span>}
          rightSectionWidth={factor.unit ? 28 : 0}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setProblem(undefined);
          }}
          onKeyDown={onKeyDown}
        />
        {text !== '' && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} stroke={2} aria-hidden />}
            onClick={submit}
          >
            {mode === 'one' ? 'Use' : 'Add'}
          </Button>
        )}
      </span>
      {problem && (
        <span className={styles.problem} role="alert">
          <FieldProblemLine id={problemId} problem={problem} />
        </span>
      )}
    </>
  );
}
