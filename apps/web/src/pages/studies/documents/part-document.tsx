import type { Block } from '@mqttlab/charts/document/blocks';
import { type Palette, pagePalette, printPalette } from '@mqttlab/charts/drawing/palette';
import type { StudyInput } from '@mqttlab/studies/page/input';
import {
  makePartDocument,
  makeStudyClosing,
  makeStudyDocument,
} from '@mqttlab/studies/page/make-study-document';
import { Fragment, type ReactElement, type ReactNode, useCallback, useMemo } from 'react';
import { countRuns, type FigureSource, FigureSourceContext } from '../../../charts/panels/figure-source.ts';
import { experimentCode } from '../../../ui/format.ts';
import { BlockView } from '../../report/block-view.tsx';
import report from '../../report/report.module.css';

export type DrawnInput = Omit<StudyInput, 'palette'>;

type DocumentProps = {
  input: DrawnInput;
  /** Shown after the first note of the document. */
  afterNote?: ReactNode;
};

/** Claims, tables, figures and text of one experiment. */
export function StudyDocument({ input, afterNote }: DocumentProps): ReactElement {
  const make = useCallback((palette: Palette) => makeStudyDocument({ ...input, palette }), [input]);
  return <Blocks make={make} source={sourceOf([input])} numberPrefix="" afterNote={afterNote} />;
}

/** Tables, figures and text of one part of several. */
export function PartDocument({ input, afterNote }: DocumentProps): ReactElement {
  const make = useCallback((palette: Palette) => makePartDocument({ ...input, palette }), [input]);
  const prefix = `${input.origin.partId}.`;
  return <Blocks make={make} source={sourceOf([input])} numberPrefix={prefix} afterNote={afterNote} />;
}

/** Shown until the document of a part is ready. */
export function PendingReport(): ReactElement {
  return (
    <p className={report.note} role="status">
      Computing the tables and figures of this part.
    </p>
  );
}

/** Results over several parts of a study; hidden until there are runs. */
export function StudyClosing({ inputs }: { inputs: readonly DrawnInput[] }): ReactElement {
  const make = useCallback(
    (palette: Palette) => makeStudyClosing(inputs.map((input) => ({ ...input, palette }))),
    [inputs],
  );
  return <Blocks make={make} source={sourceOf(inputs)} numberPrefix="all." />;
}

/** Returns the runs' experiments and the study. */
function sourceOf(inputs: readonly DrawnInput[]): FigureSource {
  const treatments = inputs.flatMap((input) => input.treatments);
  const ids = [...new Set(treatments.map(({ experimentId }) => experimentCode(experimentId)))];
  const titles = [...new Set(inputs.map(({ study }) => study.title))];
  return { experiment: `${ids.join(', ')} ${titles.join(', ')}`, ...countRuns(treatments) };
}

type BlocksProps = {
  /** Returns the blocks; must be the same function while the input is unchanged. */
  make: (palette: Palette) => Block[];
  source: FigureSource;
  /** Prefix of table and figure numbers on a page with several parts: "b.". */
  numberPrefix: string;
  afterNote?: ReactNode;
};

function Blocks({ make, source, numberPrefix, afterNote }: BlocksProps): ReactElement {
  const blocks = useMemo(() => make(pagePalette), [make]);
  const firstNote = blocks.findIndex(({ kind }) => kind === 'note');
  /** The same figure in black on white, for files. */
  const drawForPrint = (number: number) => {
    const figure = make(printPalette).find((block) => block.kind === 'figure' && block.number === number);
    return figure?.kind === 'figure' ? figure.picture : null;
  };
  return (
    <FigureSourceContext value={source}>
      {blocks.map((block, index) => (
        <Fragment key={`${block.kind} ${String(index)}`}>
          <BlockView block={block} drawForPrint={drawForPrint} numberPrefix={numberPrefix} linksClaims />
          {index === firstNote && afterNote}
        </Fragment>
      ))}
    </FigureSourceContext>
  );
}
