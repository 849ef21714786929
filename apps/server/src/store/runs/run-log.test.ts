import { describe, expect, it } from 'vitest';
import { makeTestDraft } from '../../testing/experiment-factory.ts';
import { openDatabase } from '../database.ts';
import { makeExperimentStore } from '../experiments/experiment-store.ts';
import { appendLogLine, listRecentLogLines, pruneLogLines, readExperimentLog } from './run-store.ts';

function makeLog() {
  const database = openDatabase(':memory:');
  const { id } = makeExperimentStore(database).createExperiment(makeTestDraft());
  const add = (experimentId: number | null, text: string) =>
    appendLogLine(database, { experimentId, runId: null, line: { at: 1, level: 'info', source: 's', text } });
  const texts = () => listRecentLogLines(database, 1000).map(({ line }) => line.text);
  return { database, id, add, texts };
}

describe('log lines', () => {
  it('of an experiment are found by an index, however many others there are', () => {
    const { database, id, add } = makeLog();
    add(id, 'own');
    const seen: string[] = [];
    const all = database.all;
    readExperimentLog(
      {
        ...database,
        all: (sql, params) => {
          const plan = all(`EXPLAIN QUERY PLAN ${sql}`, params) as { detail: string }[];
          seen.push(...plan.map(({ detail }) => detail));
          return all(sql, params);
        },
        get: (sql, params) => {
          const plan = all(`EXPLAIN QUERY PLAN ${sql}`, params) as { detail: string }[];
          seen.push(...plan.map(({ detail }) => detail));
          return database.get(sql, params);
        },
      },
      id,
      { before: null, limit: 10 },
    );
    expect(seen.join('\n')).toContain('log_lines_experiment');
    expect(
      seen.filter((step) => /SCAN log_lines|SEARCH log_lines USING INTEGER PRIMARY KEY/.test(step)),
    ).toEqual([]);
  });

  it('above the limit are removed, those without an experiment first', () => {
    const { database, id, add, texts } = makeLog();
    for (let i = 1; i <= 6; i += 1) {
      add(id, `run ${i}`);
      add(null, `server ${i}`);
    }
    pruneLogLines(database, { all: 100, alone: 2 });
    expect(texts().filter((text) => text.startsWith('server'))).toEqual(['server 5', 'server 6']);
    expect(texts()).toHaveLength(8);
    pruneLogLines(database, { all: 4, alone: 2 });
    expect(texts()).toEqual(['run 5', 'server 5', 'run 6', 'server 6']);
  });

  it('far above the limit are removed in parts', () => {
    const { database, texts } = makeLog();
    database.run(
      `INSERT INTO log_lines (at, level, source, text)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000) SELECT 1, 'info', 's', i FROM n`,
    );
    const count = () => (database.get('SELECT count(*) AS count FROM log_lines') as { count: number }).count;
    pruneLogLines(database, { all: 100_000, alone: 10 });
    expect(count()).toBe(7_000);
    pruneLogLines(database, { all: 100_000, alone: 10 });
    pruneLogLines(database, { all: 100_000, alone: 10 });
    expect(count()).toBe(10);
    expect(texts().at(-1)).toBe('12000');
  });
});
