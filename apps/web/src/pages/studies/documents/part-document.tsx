import type { Block } from '@mqttlab/shared/figures/document/blocks';
import { type Palette, pagePalette, printPalette } from '@mqttlab/shared/figures/drawing/palette';
import type { StudyInput } from '@mqttlab/studies/page/input';
import {
  makePartDocument,
  makeStudyClosing,
  makeStudyDocument,
} from '@mqttlab/studies/page/make-study-document';
import { type ReactElement, useMemo } from 'react';
import { BlockView } from '../../report/block-view.tsx';

export type DrawnInput = Omit<StudyInput, 'palette'>;

/** Claims, tables, figures and words of one experiment. */
export function StudyDocument({ input }: { input: DrawnInput }): ReactElement {
  const make = (palette: Palette) => makeStudyDocument({ ...input, palette });
  return <Blocks make={make} of={input} numberPrefix="" />;
}

/** Tables, figures and words of one part among others. */
export function PartDocument({ input }: { input: DrawnInput }): ReactElement {
  const make = (palette: Palette) => makePartDocument({ ...input, palette });
  return <Blocks make={make} of={input} numberPrefix={`${input.origin.partId}.`} />;
}

/** What holds for several parts of a study; nothing before there are runs. */
export function StudyClosing({ inputs }: { inputs: readonly DrawnInput[] }): ReactElement {
  const make = (palette: Palette) => makeStudyClosing(inputs.map((input) => ({ ...input, palette })));
  return <Blocks make={make} of={inputs} numberPrefix="all." />;
}

type BlocksProps = {
  make: (palette: Palette) => Block[];
  /** What they are made of. */
  of: unknown;
  /** Before the numbers of tables and figures, where a page has several parts: "b.". */
  numberPrefix: string;
};

function Blocks({ make, of, numberPrefix }: BlocksProps): ReactElement {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the blocks follow from their input
  const blocks = useMemo(() => make(pagePalette), [of]);
  /** The same figure in ink on white, for files. */
  const drawForPrint = (number: number) => {
    const figure = make(printPalette).find((block) => block.kind === 'figure' && block.number === number);
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
          linksClaims
        />
      ))}
    </>
  );
}
