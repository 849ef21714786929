import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as YAML from 'yaml';
import { makeTestbedView } from '../domain/devices/testbed-view.ts';
import { makeTestbed } from '../testing/factories.ts';
import { completePlan } from './complete-plan.ts';
import { parsePlan } from './parse-plan.ts';

const folder = new URL('../../../../examples/', import.meta.url);

it.each(readdirSync(folder).filter((name) => name.endsWith('.yaml')))(
  'the example %s is a plan with something to compare',
  (name) => {
    const testbed = makeTestbed();
    const written = YAML.parse(readFileSync(new URL(name, folder), 'utf8'));
    const completed = completePlan(written, makeTestbedView(testbed));
    expect(completed.ok ? [] : completed.issues).toEqual([]);
    if (!completed.ok) return;
    const parsed = parsePlan(completed.draft, testbed);
    expect(parsed.ok ? [] : parsed.issues).toEqual([]);
    expect(parsed.ok && parsed.plan.treatments.length).toBeGreaterThan(1);
  },
);
