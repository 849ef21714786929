import { pagePalette, printPalette } from '@mqttlab/shared/figures/drawing/palette';
import { makeAcrossParts } from '@mqttlab/studies/page/across-parts';
import type { StudyInput } from '@mqttlab/studies/page/input';
import { makeStudyDocument } from '@mqttlab/studies/page/make-study-document';
import { type ReactElement, useMemo } from 'react';
import { BlockView } from '../../report/block-view.tsx';

export type PartDocumentProps = {
  input: Omit<StudyInput, 'palette'>;
  /** Before the numbers of tables and figures, where a page has several parts: "b.". */
  numberPrefix?: string;
};

type AcrossPartsProps = { studyId: string; flagged: boolean; parts: Parameters<typeof makeAcrossParts>[1] };

/** Tables and words over all parts of a study; nothing where it asks for none. */
export function AcrossParts({ studyId, parts, flagged }: AcrossPartsProps): ReactElement {
  const blocks = useMemo(() => makeAcrossParts(studyId, parts, flagged), [studyId, parts, flagged]);
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView
          key={`${block.kind} ${String(index)}`}
          block={block}
          drawForPrint={() => null}
          numberPrefix="all."
        />
      ))}
    </>
  );
}

/** Tables, figures and words of one part. */
export function PartDocument({ input, numberPrefix = '' }: PartDocumentProps): ReactElement {
  const blocks = useMemo(() => makeStudyDocument({ ...input, palette: pagePalette }), [input]);
  /** The same figure in ink on white, for files. */
  const drawForPrint = (number: number) => {
    const figure = makeStudyDocument({ ...input, palette: printPalette }).find(
      (block) => block.kind === 'figure' && block.number === number,
    );
    return figure?.kind === 'figure' ? figure.picture : null;
  };
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView
          key={`${block.kind} ${String(index)}`}
          block={block}
          drawForPrint={drawForPrint}
          numberPrefix={numberPrefix}
        />
      ))}
    </>
  );
}
