import { Button, Menu } from '@mantine/core';
import { pagePalette } from '@mqttlab/charts/drawing/palette';
import type { StudyPartView, StudyView } from '@mqttlab/shared/messages/studies';
import { makeOwnStudy } from '@mqttlab/shared/planning/own-study';
import { studyScales } from '@mqttlab/shared/planning/study';
import { answerWords } from '@mqttlab/studies/claims/board';
import { sketchOf, sketchOfOwn } from '@mqttlab/studies/page/sketch';
import { findStudy } from '@mqttlab/studies/studies';
import { IconChevronDown, IconEdit, IconPlayerPlay } from '@tabler/icons-react';
import { type ReactElement, useMemo } from 'react';
import { Link } from 'react-router';
import { PictureView } from '../../charts/picture-view.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { LeftOutList } from './documents/run-document.tsx';
import { OwnStudyMenu } from './own-studies.tsx';
import styles from './study-card.module.css';

type ScaleCost = StudyPartView['scales'][number];
type Scale = ScaleCost['scale'];

type StudyCardProps = {
  study: StudyView;
  /** The choice whose draft is being made; null while there is none. */
  pending: string | null;
  onOpen: (part: string, scale: Scale) => void;
  /** Runs every part, one after the other. */
  onRun: (scale: Scale) => void;
};

/** One study: its question, testbed and published figures, its parts with their cost, and what is left out here. */
export function StudyCard({ study, pending, onOpen, onRun }: StudyCardProps): ReactElement {
  const { id, title, question, citation, publishedTestbed, own, parts, board } = study;
  const sketch = useMemo(() => (own ? sketchOfOwn(own, pagePalette) : sketchOf(id, pagePalette)), [id, own]);
  return (
    <Panel
      title={title}
      subtitle={own ? `Own study${citation ? ` · ${citation}` : ''}` : citation}
      {...(own ? { actions: <OwnStudyMenu file={own} /> } : {})}
      flush
    >
      <div className={styles.about}>
        <div className={styles.words}>
          <p className={styles.question}>{question}</p>
          <p className={styles.testbed}>
            <b>{own ? 'Saved on' : 'Published on'}</b> {publishedTestbed}
          </p>
          {board && (
            <p className={styles.testbed}>
              <b>Last board here</b>{' '}
              <Link to={`/studies/runs/${board.studyRunId}`}>{answerWords(board.answers)}</Link> (
              {board.scale} scale)
            </p>
          )}
          <p className={styles.testbed}>
            <b>Asks for</b> {needsOf(study)}
          </p>
          {id === 'cipher-suites' && (
            <p className={styles.testbed}>
              <Link to="/studies/clients">What each client can do</Link>: TLS versions, suites, MQTT versions
              and transports, found by trying.
            </p>
          )}
        </div>
        <div className={styles.sketch}>
          {sketch ? (
            <>
              <PictureView picture={sketch} />
              <p className={styles.caption}>
                {own ? 'Hollow diamonds: where it was saved.' : 'Hollow diamonds: published values.'}
              </p>
            </>
          ) : (
            <p className={styles.caption}>
              {own
                ? 'It was saved before any run: there is nothing to draw.'
                : 'Its abstract, the only public text, gives no figures.'}
            </p>
          )}
        </div>
      </div>
      <div className={styles.parts}>
        <WholeStudy study={study} pending={pending} onRun={onRun} />
        {parts.map((part) => (
          <Part key={part.id} id={id} part={part} pending={pending} onOpen={onOpen} />
        ))}
      </div>
    </Panel>
  );
}

/** What a testbed must have for everything of it, and what of that is not on this one. */
function needsOf({ id, own, parts }: StudyView): string {
  const needs = (own ? makeOwnStudy(own) : findStudy(id))?.needs ?? [];
  const missing = new Set(parts.flatMap(({ leftOut }) => leftOut.map(({ what }) => what)));
  return [
    'broker, publisher and subscriber',
    ...needs.map(({ label }) => `${label}${missing.has(label) ? ' (not on this testbed)' : ''}`),
  ].join(' · ');
}

/** One press and a choice of scale run every part; what each leaves out on this testbed stands below it. */
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
    <div className={styles.whole}>
      <div className={styles.what}>
        <p className={styles.title}>{parts.length === 1 ? 'Run it' : 'Run all parts, one after the other'}</p>
        <p className={styles.asks}>
          One page at the end.{' '}
          {left === 0
            ? 'Nothing is left out on this testbed.'
            : `Left out on this testbed: ${left}, with reasons below${gaps > 0 ? `; ${gaps} ${gaps === 1 ? 'part' : 'parts'} cannot be run` : ''}.`}
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
  smoke: 'A quick look: few levels, short runs.',
  bench: 'Fewer levels and shorter runs than published.',
  full: 'As published.',
};

type ScaleWordsProps = Pick<ScaleCost, 'scale' | 'runs' | 'durationMs'> & { words?: string | undefined };

/** What a scale does and takes. */
function ScaleWords({ scale, runs, durationMs, words }: ScaleWordsProps): ReactElement {
  return (
    <span className={styles.choice}>
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
    <section className={styles.part} aria-label={`Part ${part.id}: ${title}`}>
      <div className={styles.what}>
        <p className={styles.title}>
          <span className={styles.letter}>{part.id}</span> {title}
        </p>
        <p className={styles.asks}>{question}</p>
      </div>
      {isGap ? (
        <span className={styles.gap}>Gap: cannot be run yet</span>
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

/** Long lists fold; a part that cannot be run says why at once. */
function LeftOut({ part: { leftOut }, isGap }: { part: StudyPartView; isGap: boolean }): ReactElement {
  return (
    <details className={styles.leftOut} open={isGap}>
      <summary>{isGap ? 'Why' : `Left out on this testbed: ${leftOut.length}`}</summary>
      <LeftOutList leftOut={leftOut} />
    </details>
  );
}
