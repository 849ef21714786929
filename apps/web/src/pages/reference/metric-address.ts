/** Of one metric on the page of all metrics. */
export function metricAddress(id: string): string {
  return `/reference/metrics#${id}`;
}
