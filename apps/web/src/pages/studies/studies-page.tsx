import { Button, Menu } from '@mantine/core';
import { pagePalette } from '@mqttlab/charts/drawing/palette';
import type { StudyPartView, StudyRun, StudyView } from '@mqttlab/shared/messages/studies';
import { makeOwnStudy } from '@mqttlab/shared/planning/own-study';
import { studyScales } from '@mqttlab/shared/planning/study';
import { answerWords } from '@mqttlab/studies/claims/board';
import { sketchOf, sketchOfOwn } from '@mqttlab/studies/page/sketch';
import { findStudy } from '@mqttlab/studies/studies';
import { IconChevronDown, IconCompass, IconEdit, IconFileImport, IconPlayerPlay } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { type ReactElement, useMemo, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { showProblem } from '../../api/show-problem.tsx';
import { useApi } from '../../api/use-api.ts';
import { answersExperiment, useCall } from '../../api/use-call.ts';
import { PictureView } from '../../charts/picture-view.tsx';
import { formatDuration } from '../../ui/format.ts';
import { SegmentedSwitch } from '../../ui/input/segmented-switch.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { ImportPlanDialog } from '../experiments/import-plan-dialog.tsx';
import { useTour } from '../experiments/tour-banner.tsx';
import { LeftOutList } from './documents/run-document.tsx';
import { BrokenStudy, OwnStudyMenu } from './own-studies.tsx';
import styles from './studies-page.module.css';
import studyCardStyles from './study-card.module.css';

const importWords = {
  title: 'Import a study',
  label: 'Study, YAML or JSON',
  placeholder: 'kind: mqttlab study\nschemaVersion: 1\nid: ours\ntitle: Ours',
};

/** The gallery, with the tour, the published studies and the user's studies. */
export function StudiesPage(): ReactElement {
  const [chosen, setChosen] = useState<string | null>(null);
  const testbeds = useApi('GET /testbeds').data?.items ?? [];
  const { data, error, isPending, refetch } = useApi(
    'GET /studies',
    { query: { testbedId: chosen ?? undefined } },
    { placeholderData: keepPreviousData },
  );
  const draft = useCall('POST /studies/{id}/experiments', answersExperiment);
  const start = useCall('POST /study-runs', { changes: ['GET /study-runs', 'GET /experiments'] });
  const take = useCall('POST /studies/import', { changes: ['GET /studies'] });
  const [isImporting, setIsImporting] = useState(false);
  const navigate = useNavigate();
  const { variables } = draft;
  const pending =
    draft.isPending && variables
      ? `${variables.params.id}/${variables.body.part}/${variables.body.scale}`
      : start.isPending
        ? `${start.variables.body.studyId}/*/${start.variables.body.scale}`
        : null;
  return (
    <Page
      title="Studies"
      actions={
        <>
          {data && testbeds.length > 1 && (
            <SegmentedSwitch
              label="Testbed"
              value={chosen ?? data.testbedId}
              options={testbeds.map(({ testbedId, name }) => ({ value: testbedId, label: name }))}
              onChange={setChosen}
            />
          )}
          <Button
            variant="default"
            leftSection={<IconFileImport size={16} stroke={2} aria-hidden />}
            onClick={() => setIsImporting(true)}
          >
            Import
          </Button>
        </>
      }
    >
      <ImportPlanDialog
        opened={isImporting}
        onClose={() => setIsImporting(false)}
        hint="The study will appear in the gallery."
        words={importWords}
        onImport={async (text) => void (await take.mutateAsync({ body: { text } }))}
      />
      <TourPanel />
      <StudyRunsPanel />
      {error && !data && <ApiErrorState error={error} onRetry={() => void refetch()} />}
      {isPending && !error && <PageSkeleton />}
      {data?.items.map((study) =>
        study.broken ? (
          <BrokenStudy key={study.id} id={study.id} reason={study.broken} />
        ) : (
          <StudyCard
            key={study.id}
            study={study}
            pending={pending}
            onRun={(scale) =>
              start.mutate(
                { body: { studyId: study.id, testbedId: data.testbedId, scale } },
                {
                  onSuccess: ({ id }) => navigate(`/studies/runs/${id}`),
                  onError: (problem) => showProblem('The study was not started', problem),
                },
              )
            }
            onOpen={(part, scale) =>
              draft.mutate(
                { params: { id: study.id }, body: { testbedId: data.testbedId, part, scale } },
                {
                  onSuccess: ({ id }) => navigate(`/experiments/${id}/edit`),
                  onError: (problem) => showProblem('No draft was created', problem),
                },
              )
            }
          />
        ),
      )}
    </Page>
  );
}

function TourPanel(): ReactElement {
  const tour = useTour();
  return (
    <Panel
      title="Tour: what does TLS cost?"
      subtitle="18 runs, under 90 s"
      mark={<IconCompass className={styles.mark} size={16} stroke={2} aria-hidden />}
      actions={
        <Button
          leftSection={<IconPlayerPlay size={16} stroke={2} aria-hidden />}
          loading={tour.isPending}
          onClick={tour.start}
        >
          Run the tour
        </Button>
      }
      padded
    >
      <p className={styles.text}>
        The tour compares plain MQTT, AES-256-GCM and ChaCha20-Poly1305 at QoS 0 and 1 on the built-in
        testbed, with real agents, a real broker and real TLS. The published studies are below. Run a study
        with one click, or open its parts in the wizard. The results page shows published tables and figures
        next to your own results. To save an experiment as a study, use its menu in the list of experiments.
      </p>
    </Panel>
  );
}

const shown = 6;
/** The live connection does not report the progress of study runs. */
const askEveryMs = 3000;

const isRunning = ({ status }: StudyRun) => status === 'running';

/** Recent study runs; hidden before the first one. */
function StudyRunsPanel(): ReactElement | null {
  const { data } = useApi(
    'GET /study-runs',
    {},
    { refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? askEveryMs : false) },
  );
  const runs = data?.items ?? [];
  if (runs.length === 0) return null;
  return (
    <Panel title="Study runs" subtitle="every part on one page" flush>
      <ul className={styles.runs}>
        {runs.slice(0, shown).map((run) => (
          <li key={run.id}>
            <Link className={styles.link} to={`/studies/runs/${run.id}`}>
              {run.title}
            </Link>
            <span className={styles.scale}>{run.scale}</span>
            <span className={styles.count}>{countOf(run)}</span>
            <StatusLine kind={run.status} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function countOf({ parts }: StudyRun): string {
  const known = parts.flatMap(({ progress }) => progress ?? []);
  const sum = (pick: (one: (typeof known)[number]) => number) =>
    known.reduce((total, one) => total + pick(one), 0);
  return `${sum(({ done }) => done)} of ${sum(({ trials }) => trials)} runs in ${known.length} ${known.length === 1 ? 'part' : 'parts'}`;
}

type ScaleCost = StudyPartView['scales'][number];
type Scale = ScaleCost['scale'];

type StudyCardProps = {
  study: StudyView;
  /** The part and scale whose draft is being created; null if none. */
  pending: string | null;
  onOpen: (part: string, scale: Scale) => void;
  /** Runs all parts in sequence. */
  onRun: (scale: Scale) => void;
};

/** A study card: question, testbed, published figures, parts with their cost, and unsupported items. */
function StudyCard({ study, pending, onOpen, onRun }: StudyCardProps): ReactElement {
  const { id, title, question, citation, publishedTestbed, own, parts, board } = study;
  const sketch = useMemo(() => (own ? sketchOfOwn(own, pagePalette) : sketchOf(id, pagePalette)), [id, own]);
  return (
    <Panel
      title={title}
      subtitle={own ? `Custom study${citation ? ` · ${citation}` : ''}` : citation}
      {...(own ? { actions: <OwnStudyMenu file={own} /> } : {})}
      flush
    >
      <div className={studyCardStyles.about}>
        <div className={studyCardStyles.words}>
          <p className={studyCardStyles.question}>{question}</p>
          <p className={studyCardStyles.testbed}>
            <b>{own ? 'Saved on' : 'Published on'}</b> {publishedTestbed}
          </p>
          {board && (
            <p className={studyCardStyles.testbed}>
              <b>Latest board</b>{' '}
              <Link to={`/studies/runs/${board.studyRunId}`}>{answerWords(board.answers)}</Link> (
              {board.scale} scale)
            </p>
          )}
          <p className={studyCardStyles.testbed}>
            <b>Requires</b> {needsOf(study)}
          </p>
          {id === 'cipher-suites' && (
            <p className={studyCardStyles.testbed}>
              <Link to="/studies/clients">What each client can do</Link>: TLS versions, suites, MQTT versions
              and transports, tested in short runs.
            </p>
          )}
        </div>
        <div className={studyCardStyles.sketch}>
          {sketch ? (
            <>
              <PictureView picture={sketch} />
              <p className={studyCardStyles.caption}>
                {own
                  ? 'Hollow diamonds: results when the study was saved.'
                  : 'Hollow diamonds: published values.'}
              </p>
            </>
          ) : (
            <p className={studyCardStyles.caption}>
              {own
                ? 'Saved before any run, so there are no figures.'
                : 'The abstract, the only public text, contains no figures.'}
            </p>
          )}
        </div>
      </div>
      <div className={studyCardStyles.parts}>
        <WholeStudy study={study} pending={pending} onRun={onRun} />
        {parts.map((part) => (
          <Part key={part.id} id={id} part={part} pending={pending} onOpen={onOpen} />
        ))}
      </div>
    </Panel>
  );
}

/** Returns the requirements of a study, and those that this testbed does not meet. */
function needsOf({ id, own, parts }: StudyView): string {
  const needs = (own ? makeOwnStudy(own) : findStudy(id))?.needs ?? [];
  const missing = new Set(parts.flatMap(({ leftOut }) => leftOut.map(({ what }) => what)));
  return [
    'broker, publisher and subscriber',
    ...needs.map(({ label }) => `${label}${missing.has(label) ? ' (missing on this testbed)' : ''}`),
  ].join(' · ');
}

/** Runs all parts at a selected scale. Unsupported items are listed below each part. */
function WholeStudy({ study, pending, onRun }: Omit<StudyCardProps, 'onOpen'>): ReactElement {
  const { id, title, parts } = study;
  const gaps = parts.filter(({ scales }) => scales.length === 0).length;
  const left = parts.reduce((sum, { leftOut }) => sum + leftOut.length, 0);
  const costs = studyScales.flatMap((scale) => {
    const own = parts.flatMap(({ scales }) => scales.filter((one) => one.scale === scale));
    const sum = (pick: (one: ScaleCost) => number) => own.reduce((total, one) => total + pick(one), 0);
    const notes = parts.length === 1 ? own.map(({ note }) => note) : [];
    return own.length === 0
      ? []
      : [{ scale, runs: sum(({ runs }) => runs), durationMs: sum(({ durationMs }) => durationMs), notes }];
  });
  const isRunning = pending?.startsWith(`${id}/*/`) ?? false;
  return (
    <div className={studyCardStyles.whole}>
      <div className={studyCardStyles.what}>
        <p className={studyCardStyles.title}>{parts.length === 1 ? 'Run study' : 'Run all parts'}</p>
        <p className={studyCardStyles.asks}>
          Parts run in sequence and share one results page.{' '}
          {left === 0
            ? 'This testbed supports everything.'
            : `Not available on this testbed: ${left} (reasons below)${gaps > 0 ? `; ${gaps} ${gaps === 1 ? 'part' : 'parts'} cannot be run` : ''}.`}
        </p>
      </div>
      <Menu position="bottom-end" width={360}>
        <Menu.Target>
          <Button
            leftSection={<IconPlayerPlay size={16} stroke={2} aria-hidden />}
            rightSection={<IconChevronDown size={14} stroke={2.2} aria-hidden />}
            loading={isRunning}
            disabled={costs.length === 0 || (pending !== null && !isRunning)}
            aria-label={`Run ${title}`}
          >
            Run
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {costs.map(({ scale, runs, durationMs, notes }) => (
            <Menu.Item key={scale} onClick={() => onRun(scale)}>
              <ScaleWords scale={scale} runs={runs} durationMs={durationMs} words={notes[0]} />
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

const aboutScale: Readonly<Record<Scale, string>> = {
  smoke: 'Quick check: few levels, short runs.',
  bench: 'Fewer levels and shorter runs than published.',
  full: 'As published.',
};

type ScaleWordsProps = Pick<ScaleCost, 'scale' | 'runs' | 'durationMs'> & { words?: string | undefined };

/** Description and cost of a scale. */
function ScaleWords({ scale, runs, durationMs, words }: ScaleWordsProps): ReactElement {
  return (
    <span className={studyCardStyles.choice}>
      <b>
        {scale}{' '}
        <small>
          {runs} {runs === 1 ? 'run' : 'runs'}, {formatDuration(durationMs)}
        </small>
      </b>
      <span className="second">{words ?? aboutScale[scale]}</span>
    </span>
  );
}

type PartProps = Omit<StudyCardProps, 'study' | 'onRun'> & { id: string; part: StudyPartView };

function Part({ id, part, pending, onOpen }: PartProps): ReactElement {
  const { title, question, scales, leftOut } = part;
  const isGap = scales.length === 0;
  return (
    <section className={studyCardStyles.part} aria-label={`Part ${part.id}: ${title}`}>
      <div className={studyCardStyles.what}>
        <p className={studyCardStyles.title}>
          <span className={studyCardStyles.letter}>{part.id}</span> {title}
        </p>
        <p className={studyCardStyles.asks}>{question}</p>
      </div>
      {isGap ? (
        <span className={studyCardStyles.gap}>Gap: cannot be run yet</span>
      ) : (
        <Menu position="bottom-end" width={360}>
          <Menu.Target>
            <Button
              variant="subtle"
              leftSection={<IconEdit size={16} stroke={2} aria-hidden />}
              loading={pending?.startsWith(`${id}/${part.id}/`) ?? false}
              disabled={pending !== null && !pending.startsWith(`${id}/${part.id}/`)}
              aria-label={`Open part ${part.id}, ${title}, in the wizard`}
            >
              Open in the wizard
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {scales.map(({ scale, runs, durationMs, note }) => (
              <Menu.Item key={scale} onClick={() => onOpen(part.id, scale)}>
                <ScaleWords scale={scale} runs={runs} durationMs={durationMs} words={note} />
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {leftOut.length > 0 && <LeftOut part={part} isGap={isGap} />}
    </section>
  );
}

/** Long lists are collapsed. The reason for a part that cannot be run is always visible. */
function LeftOut({ part: { leftOut }, isGap }: { part: StudyPartView; isGap: boolean }): ReactElement {
  return (
    <details className={studyCardStyles.leftOut} open={isGap}>
      <summary>{isGap ? 'Reason' : `Not available on this testbed: ${leftOut.length}`}</summary>
      <LeftOutList leftOut={leftOut} />
    </details>
  );
}
