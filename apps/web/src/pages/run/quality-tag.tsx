import type { EnergyQuality } from '@mqttlab/shared/domain/devices/capabilities';
import { type Icon, IconCircuitAmmeter, IconCpu, IconMathFunction } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import styles from './quality-tag.module.css';

const icons: Readonly<Record<EnergyQuality, Icon>> = {
  measured: IconCircuitAmmeter,
  'on-board': IconCpu,
  modelled: IconMathFunction,
};

/** Beside every figure of energy: whether it was measured. */
export function QualityTag({ quality }: { quality: EnergyQuality }): ReactElement {
  const QualityIcon = icons[quality];
  return (
    <span className={styles.tag} data-quality={quality}>
      <QualityIcon size={12} stroke={2} aria-hidden />
      {quality}
    </span>
  );
}
