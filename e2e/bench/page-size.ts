import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { atMost, type BenchRow } from '@mqttlab/shared/testing/bench';

/** Scripts that the browser needs for the first page: the entry and its static imports. */
export function measurePageSize(dist: string): BenchRow[] {
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  const first = [...html.matchAll(/(?:src|href)="\/?(assets\/[^"]+\.js)"/g)].flatMap(
    (match) => match[1] ?? [],
  );
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const code = readFileSync(join(dist, file), 'utf8');
    for (const match of code.matchAll(/(?:^|[;}\s])(?:import|export)[^'"()]*?["']\.\/([^"']+\.js)["']/g)) {
      if (match[1]) visit(`assets/${match[1]}`);
    }
  };
  first.forEach(visit);
  const bytes = [...seen].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0);
  return [
    atMost('page: script on first load, gzip', Math.round(bytes / 100) / 10, { limit: 350, unit: 'kB' }),
  ];
}
