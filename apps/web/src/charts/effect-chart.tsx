import { type ReactElement, useMemo } from 'react';
import { makeMeasureText } from './canvas/measure-text.ts';
import { useChartTheme } from './canvas/use-chart-theme.ts';
import { useWidth } from './canvas/use-width.ts';
import { type EffectGroup, type EffectKind, effectTexts } from './datasets/effect-data.ts';
import { type EffectColumns, EffectGroupChart } from './effect-group-chart.tsx';

export type EffectChartProps = {
  label: string;
  kind: EffectKind;
  /** Of differences: "ms". */
  unit?: string;
  /** Each group has its own scale and says its range. */
  groups: readonly EffectGroup[];
};

/** With less than this left for the interval, names and figures stand above it instead of beside it. */
const PLOT_PX = 170;
/** Between the columns. */
const GAPS_PX = 64;

/** Effects against the baseline with their 95 % intervals, Hedges' g and p. */
export function EffectChart({ label, kind, unit = '', groups }: EffectChartProps): ReactElement {
  const [ref, width] = useWidth();
  const theme = useChartTheme();
  const columns = useMemo<EffectColumns>(() => {
    const measure = makeMeasureText(theme);
    const rows = groups.flatMap((group) => group.rows);
    const texts = rows.map((row) => effectTexts(kind, row));
    const widest = (values: number[]) => Math.ceil(Math.max(0, ...values));
    return {
      name: widest(rows.map((row) => measure(row.treatment.shortLabel, 500))) + 24,
      figure: widest(texts.map((t) => measure(t.value, 600) + measure(t.interval) + 5)),
      g: widest([...texts.map((t) => measure(t.g)), measure('g')]),
      p: widest([...texts.map((t) => measure(t.p)), measure('p')]),
    };
  }, [groups, kind, theme]);
  const plotPx = width - columns.name - columns.figure - columns.g - columns.p - GAPS_PX;
  return (
    <div ref={ref}>
      {width > 0 &&
        groups.map((group, i) => (
          <EffectGroupChart
            key={group.title}
            label={[label, group.title].filter(Boolean).join(', ')}
            kind={kind}
            unit={unit}
            group={group}
            columns={columns}
            isWide={plotPx >= PLOT_PX}
            showsHead={i === 0}
          />
        ))}
    </div>
  );
}
