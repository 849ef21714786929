import { Menu, Progress } from '@mantine/core';
import type { Block } from '@mqttlab/charts/document/blocks';
import { describeWhen } from '@mqttlab/charts/document/document-html';
import { bibtexOf, methodsParagraph } from '@mqttlab/charts/document/for-paper';
import { makeDocument } from '@mqttlab/charts/document/make-document';
import { pagePalette, printPalette } from '@mqttlab/charts/drawing/palette';
import { authorshipWords } from '@mqttlab/shared/domain/authorship';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { IconBook, IconPilcrow, IconQuote } from '@tabler/icons-react';
import { type ReactElement, useMemo } from 'react';
import { useParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { noSuch, parseId } from '../../api/no-such.ts';
import { useApi } from '../../api/use-api.ts';
import { copyAndSay } from '../../charts/panels/copy-table-menu.tsx';
import { FigureSourceContext } from '../../charts/panels/figure-source.ts';
import { ExportMenu } from '../../share/export-menu.tsx';
import { experimentCode } from '../../ui/format.ts';
import { ImportNotice } from '../../ui/import-notice.tsx';
import { ActionButton, MenuActions } from '../../ui/input/action-button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { BlockView } from './block-view.tsx';
import { FlaggedSwitch, ReadingActions, useFlagged } from './reading-actions.tsx';
import styles from './report.module.css';

/** The results section of an experiment. */
export function ReportPage(): ReactElement {
  const { id } = useParams();
  const number = parseId(id);
  const flagged = useFlagged();
  const { data, error, isPending, refetch } = useApi(
    'GET /experiments/{id}/report',
    number === null ? null : { params: { id: number }, query: { flagged } },
    // Leaving the page cancels the computation of the report.
    { isAborted: true, staleTime: 0 },
  );
  const code = number === null ? 'Experiment' : experimentCode(number);
  const breadcrumbs = [
    { label: 'Experiments', to: '/experiments' },
    ...(number === null ? [] : [{ label: code, to: `/experiments/${number}` }]),
  ];
  const flaggedRuns = data?.validity.flagged ?? 0;
  return (
    <Page
      title={data ? `Report: ${data.experiment.name}` : 'Report'}
      crumb="Report"
      breadcrumbs={breadcrumbs}
      actions={
        <>
          <ReadingActions flaggedRuns={flaggedRuns} />
          {data && <CiteMenu report={data} />}
          {number !== null && <ExportMenu id={number} flagged={flagged} />}
        </>
      }
      phoneActions={<FlaggedSwitch flaggedRuns={flaggedRuns} isShort />}
    >
      {error && <ApiErrorState error={error} onRetry={() => void refetch()} />}
      {number === null && !error && <ApiErrorState error={noSuch('experiment', id)} />}
      {number !== null && isPending && !error && <Working id={number} flagged={flagged} />}
      {data && <ReportView report={data} />}
    </Page>
  );
}

function Working({ id, flagged }: { id: number; flagged: boolean }): ReactElement {
  const progress = useApi(
    'GET /experiments/{id}/report/progress',
    { params: { id }, query: { flagged } },
    { refetchInterval: 500 },
  ).data;
  const share = progress && progress.all > 0 ? (progress.done / progress.all) * 100 : 0;
  return (
    <Panel padded>
      <div className={styles.working} role="status">
        <p>Computing the report: intervals, effects and bootstraps. Leaving the page cancels it.</p>
        <Progress value={share} aria-label="Progress of the report" />
      </div>
    </Panel>
  );
}

/** Text for a paper: Methods paragraph and citation. */
function CiteMenu({ report }: { report: Report }): ReactElement {
  const actions = [
    {
      label: 'Copy the Methods paragraph',
      icon: IconPilcrow,
      onClick: () => void copyAndSay('Methods paragraph', methodsParagraph(report)),
    },
    {
      label: 'Copy the citation (BibTeX)',
      icon: IconBook,
      onClick: () => void copyAndSay('Citation', bibtexOf(report)),
    },
  ];
  return (
    <Menu>
      <Menu.Target>
        <ActionButton icon={IconQuote}>Cite</ActionButton>
      </Menu.Target>
      <MenuActions groups={[actions]} />
    </Menu>
  );
}

/** The document next to its table of contents. */
export function ReportView({ report }: { report: Report }): ReactElement {
  const blocks = useMemo(() => makeDocument(report, pagePalette), [report]);
  const headings = blocks.filter((block) => block.kind === 'heading');
  /** The same figure in black on white, for files. */
  const drawForPrint = (number: number) => {
    const figure = makeDocument(report, printPalette).find(
      (block) => block.kind === 'figure' && block.number === number,
    );
    return figure?.kind === 'figure' ? figure.picture : null;
  };
  const { authorship, id, imported, name, question } = report.experiment;
  const { used, flagged, takesFlagged } = report.validity;
  const source = {
    experiment: `${experimentCode(id)} ${name}`,
    valid: takesFlagged ? used - flagged : used,
    flagged,
    software: report.software,
  };
  return (
    <div className={styles.layout} data-printed-alone>
      <nav className={styles.contents} aria-label="Sections of the report">
        <ol>
          {headings.map(({ id, text }) => (
            <li key={id}>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ol>
      </nav>
      <article className={styles.document}>
        <header>
          <h2 className={styles.title}>{name}</h2>
          <p className={styles.when}>{describeWhen(report)}</p>
          {authorship && <p className={styles.note}>{authorshipWords(authorship)}</p>}
          {imported && <p className={styles.note}>Imported from {imported.from}; no run was made here.</p>}
          {question && <p className={styles.question}>{question}</p>}
        </header>
        <ImportNotice marks={imported} />
        <FigureSourceContext value={source}>
          {blocks.map((block, index) => (
            <BlockView key={keyOf(block, index)} block={block} drawForPrint={drawForPrint} />
          ))}
        </FigureSourceContext>
      </article>
    </div>
  );
}

function keyOf(block: Block, index: number): string {
  return `${block.kind} ${index}`;
}
