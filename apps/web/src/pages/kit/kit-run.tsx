import { metrics } from '@mqttlab/shared/catalogue/metrics';
import { makeTourDraft } from '@mqttlab/shared/catalogue/tour';
import type { WorkloadKind } from '@mqttlab/shared/domain/plans/trial-spec';
import { type ReactElement, useState } from 'react';
import { Chip, ChipGroup } from '../../ui/chip.tsx';
import { groupMetrics } from '../../ui/input/metric-groups.ts';
import { SearchPick } from '../../ui/input/search-pick.tsx';
import { Panel } from '../../ui/panel.tsx';
import { DistributionPanel } from '../run/panels/distribution-panel.tsx';
import { QualityTag } from '../run/quality-tag.tsx';
import { RunExtras } from '../run/run-extras.tsx';
import { KindCards } from '../wizard/workload/kind-cards.tsx';
import { PhaseStrip } from '../wizard/workload/phase-strip.tsx';
import styles from './kit.module.css';
import { sampleRun } from './sample-run.ts';

const { workload } = makeTourDraft('kit');

/** Workload cards, cautioned chips, searchable menus, and every panel that only some runs have. */
export function KitRun(): ReactElement {
  const [kind, setKind] = useState<WorkloadKind>('burst');
  const [metric, setMetric] = useState('latency.p50');
  const [isOld, setOld] = useState(true);
  return (
    <>
      <KindCards value={kind} onChange={setKind} />
      <Panel title="One run" padded>
        <PhaseStrip workload={{ ...workload, kind }} />
        <div className={styles.wrap}>
          <SearchPick
            label="Response"
            placeholder="Search metrics"
            value={metric}
            groups={groupMetrics(metrics)}
            onChange={setMetric}
          />
          <ChipGroup label="Suites">
            <Chip selected={isOld} mono caution="Its MAC is HMAC-SHA-1." onToggle={() => setOld(!isOld)}>
              AES128-SHA
            </Chip>
          </ChipGroup>
          <QualityTag quality="measured" />
          <QualityTag quality="on-board" />
          <QualityTag quality="modelled" />
        </div>
      </Panel>
      <DistributionPanel run={sampleRun} siblings={[sampleRun]} heightPx={316} />
      <RunExtras run={sampleRun} />
    </>
  );
}
