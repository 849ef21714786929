import { Button, Checkbox, Select, Switch, TextInput } from '@mantine/core';
import { IconCompass, IconCopy, IconFilter, IconTable } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { Chip, ChipGroup, ImpossibleChip } from '../../ui/chip.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Field, FieldRow } from '../../ui/input/field.tsx';
import { IconButton } from '../../ui/input/icon-button.tsx';
import { PickMenu } from '../../ui/input/pick-menu.tsx';
import { SegmentedSwitch } from '../../ui/input/segmented-switch.tsx';
import { KeyFigures } from '../../ui/key-figures.tsx';
import { NumberWithInterval } from '../../ui/number-with-interval.tsx';
import { Panel } from '../../ui/panel.tsx';
import { StatusBadge, StatusLine } from '../../ui/status.tsx';
import { STATUS_KINDS, type StatusKind } from '../../ui/status-kinds.ts';
import { TagList } from '../../ui/tag.tsx';
import { PublishedMark, TreatmentMark } from '../../ui/treatment-mark.tsx';
import { TrialBar } from '../../ui/trial-bar.tsx';
import { showUndoToast } from '../../ui/undo-toast.tsx';
import styles from './kit.module.css';

const kinds = Object.keys(STATUS_KINDS) as StatusKind[];
const suites = ['ECDHE-ECDSA-AES128-GCM-SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];
const nothing = () => undefined;

export function KitControls(): ReactElement {
  const [device, setDevice] = useState<'broker' | 'publisher' | 'subscriber'>('subscriber');
  const [baseline, setBaseline] = useState<'plain' | 'tls12'>('plain');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(suites.slice(0, 2)));
  const toggle = (suite: string) =>
    setChosen((old) => new Set(old.has(suite) ? [...old].filter((s) => s !== suite) : [...old, suite]));
  return (
    <>
      <KeyFigures
        label="Progress"
        figures={[
          {
            label: 'Trials done',
            value: '41 of 72',
            note: <TrialBar total={72} done={41} flagged={1} running={1} />,
            grow: 2,
          },
          { label: 'Time left, from median run 46 s', value: '23 min', note: 'done 14:55' },
          { label: 'Latency, median', value: '16.4 ms', note: '6 runs 17.0' },
          {
            label: 'Validity',
            value: <StatusLine kind="valid">40 valid</StatusLine>,
            note: <StatusLine kind="flagged">1 flagged</StatusLine>,
          },
        ]}
      />
      <div className={styles.toolbar}>
        <PickMenu
          label="Baseline"
          value={baseline}
          onChange={setBaseline}
          options={[
            { value: 'plain', label: 'Plain, same link' },
            { value: 'tls12', label: 'TLS 1.2 AES-128-GCM' },
          ]}
        />
        <SegmentedSwitch
          label="Status"
          value={device}
          onChange={setDevice}
          options={[
            { value: 'broker', label: 'All', count: 14 },
            { value: 'publisher', label: 'Active', count: 2 },
            { value: 'subscriber', label: 'Finished', count: 10 },
          ]}
        />
        <IconButton icon={IconFilter} label="More filters" bordered onClick={nothing} />
        <Switch label="Published values" defaultChecked />
        <Checkbox label="Differences only" defaultChecked />
        <Button
          variant="subtle"
          onClick={() => showUndoToast({ message: 'E-117 archived', onUndo: nothing })}
        >
          Archive
        </Button>
        <Button disabled>Next</Button>
      </div>
      <div className={styles.columns}>
        <Panel
          title="Factors and levels"
          subtitle="3 factors, 11 combinations"
          actions={
            <>
              <SegmentedSwitch
                label="Device"
                size="sm"
                value={device}
                onChange={setDevice}
                options={[
                  { value: 'broker', label: 'Broker' },
                  { value: 'publisher', label: 'Publisher' },
                  { value: 'subscriber', label: 'Subscriber' },
                ]}
              />
              <IconButton icon={IconTable} label="Show as a table" onClick={nothing} />
              <IconButton icon={IconCopy} label="Copy" onClick={nothing} />
            </>
          }
        >
          <FieldRow label="Cipher suite" note="2 of 17 levels">
            <ChipGroup label="Cipher suite">
              {suites.map((suite) => (
                <Chip key={suite} mono selected={chosen.has(suite)} onToggle={() => toggle(suite)}>
                  {suite}
                </Chip>
              ))}
              <ImpossibleChip mono reason="switched off in the broker’s OpenSSL 3.5">
                TLS_AES_128_GCM_8_SHA256
              </ImpossibleChip>
            </ChipGroup>
          </FieldRow>
          <FieldRow
            label="Link"
            note="0 of 4 levels"
            problem={{ what: 'No link chosen.', remedy: 'Choose at least one link that every device has.' }}
          >
            <ChipGroup label="Link">
              <Chip selected={false} onToggle={nothing}>
                Ethernet
              </Chip>
              <ImpossibleChip reason="no device has a modem">LTE</ImpossibleChip>
            </ChipGroup>
          </FieldRow>
        </Panel>
        <Panel title="Fields" padded>
          <div className={styles.stack}>
            <Field label="Rate" unit="msg/s" hint="Held constant over all treatments.">
              {(control) => <TextInput {...control} defaultValue="20" />}
            </Field>
            <Field
              label="Payload size"
              unit="B"
              problem={{
                what: '12 B is below the stamp of 24 B.',
                remedy: 'Use 24 B or more to measure latency.',
              }}
            >
              {(control) => <TextInput {...control} defaultValue="12" />}
            </Field>
            <Field label="Broker">
              {(control) => <Select {...control} data={['Mosquitto', 'EMQX']} defaultValue="Mosquitto" />}
            </Field>
          </div>
        </Panel>
        <Panel title="Status and identity" padded>
          <div className={styles.wrap}>
            {kinds.map((kind) => (
              <StatusLine key={kind} kind={kind} />
            ))}
          </div>
          <div className={styles.wrap}>
            {(['running', 'valid', 'flagged', 'failed', 'draft'] as const).map((kind) => (
              <StatusBadge key={kind} kind={kind} />
            ))}
            <TagList tags={['wifi', 'handshake']} />
          </div>
          <div className={styles.wrap}>
            {[1, 2, 3, 4, 5, 6, 7, 8].map((index) => (
              <span key={index} className={styles.mark}>
                <TreatmentMark index={index} /> <TreatmentMark index={index} variant="dot" /> {index}
              </span>
            ))}
            <span className={styles.mark}>
              <PublishedMark /> published
            </span>
          </div>
          <div className={styles.wrap}>
            <NumberWithInterval value={18.362} lo={17.91} hi={18.81} unit="ms" />
            <NumberWithInterval value={-3.0} lo={-3.49} hi={-2.5} unit="ms" signed />
            <NumberWithInterval value={21_870} lo={21_400} hi={22_400} unit="msg/s" />
          </div>
          <Facts
            facts={[
              { label: 'One run', value: '48 s' },
              { label: 'Finishes', value: 'today 19:01', strong: true },
            ]}
          />
        </Panel>
        <div className={styles.stack}>
          <ErrorState
            happened="pi4-c stopped answering during run 43."
            lost="Run 43 is lost; the 42 runs before it are kept."
            nextStep="Check its power and network, then retry the failed run."
            action={
              <Button variant="default" size="xs">
                Retry run 43
              </Button>
            }
          />
          <Panel>
            <EmptyState
              icon={<IconCompass size={20} stroke={1.75} />}
              sentence="No experiment yet: the tour runs 18 real trials on this machine in under 90 s."
              action={<Button variant="default">Run the tour</Button>}
            />
          </Panel>
        </div>
      </div>
    </>
  );
}
