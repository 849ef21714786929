import { metricGroupLabels } from '@mqttlab/shared/catalogue/metrics-reference';
import { type MetricDefinition, metricGroups } from '@mqttlab/shared/domain/runs/verdict';
import type { SearchGroup } from './search-options.ts';

/** Metrics for a searchable menu, by group, in the order of the catalogue. */
export function groupMetrics(metrics: readonly MetricDefinition[]): SearchGroup[] {
  return metricGroups.flatMap((group) => {
    const options = metrics
      .filter((metric) => metric.group === group)
      .map((metric) => ({
        value: metric.id,
        label: metric.label,
        note: metric.unit,
        words: `${metric.id} ${metric.help}`,
        title: aboutMetric(metric),
      }));
    return options.length === 0 ? [] : [{ label: metricGroupLabels[group], options }];
  });
}

/** Definition, source and known bias, for a tooltip. */
export function aboutMetric({ help, source, bias }: MetricDefinition): string {
  return [help, `Source: ${source}`, ...(bias === null ? [] : [`Known bias: ${bias}`])].join('\n');
}
