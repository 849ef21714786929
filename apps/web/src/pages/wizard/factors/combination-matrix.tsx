import { Box } from '@mantine/core';
import type { FactorGroup } from '@mqttlab/shared/domain/factor';
import { formatCount } from '@mqttlab/shared/format/number';
import { IconCheck } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { FieldRow } from '../../../ui/input/field.tsx';
import { useWizard } from '../wizard-context.tsx';
import styles from './combination-matrix.module.css';
import { makeMatrix } from './make-matrix.ts';
import type { MatrixBlock } from './merge-grid.ts';

/** Which levels of a group go together; it scrolls sideways by keyboard too (WCAG 2.1.1); impossible ones stay in sight, struck out, with the reason. */
export function CombinationMatrix({ group }: { group: FactorGroup }): ReactElement | null {
  const { draft, planning } = useWizard();
  const matrix = makeMatrix(group, draft, planning.view);
  if (!matrix || !(matrix.isTelling || group === 'security')) return null;
  const { heads, rows, possible, struckOut } = matrix;
  return (
    <FieldRow
      label="Combinations"
      note={`${formatCount(possible)} possible, ${formatCount(struckOut)} struck out`}
    >
      <Box component="section" className={styles.scroll ?? ''} tabIndex={0} aria-label="Combinations">
        <table className={styles.table}>
          <thead>
            {heads.map((line) => (
              <tr key={line[0]?.key}>
                <td />
                {line.map(({ key, label, span }) => (
                  <th key={key} scope={span > 1 ? 'colgroup' : 'col'} colSpan={span}>
                    {label}
                  </th>
                ))}
              </tr>
            ))}
          </thead>
          <tbody>
            {rows.map(({ key, label, title, blocks }) => (
              <tr key={key}>
                <th scope="row" title={title}>
                  {label}
                </th>
                {blocks.map((block) => (
                  <MatrixCell key={block.key} block={block} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
    </FieldRow>
  );
}

function MatrixCell({ block }: { block: MatrixBlock }): ReactElement {
  const { kind, words, struck, colSpan, rowSpan } = block;
  return (
    <td data-kind={kind} colSpan={colSpan} rowSpan={rowSpan}>
      {kind === 'possible' && <IconCheck size={14} stroke={2} role="img" aria-label="possible" />}
      {kind === 'once' && <span>{words}</span>}
      {kind === 'impossible' && (
        <>
          {struck && <s>{struck}</s>}
          <span className="visually-hidden">not possible: </span>
          <span>{words}</span>
        </>
      )}
    </td>
  );
}
