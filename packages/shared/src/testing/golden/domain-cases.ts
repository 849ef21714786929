import { aggregateSamples } from '../../statistics/descriptive/summary.ts';
import { accumulateCharge, energySensitivity, estimateBatteryLife } from '../../statistics/energy/battery.ts';
import { rankPareto } from '../../statistics/estimates/pareto.ts';
import { compareTree, type GoldenMismatch, type TreeRules, tolerances } from './compare-tree.ts';
import { type GoldenCase, GoldenFormatError, parseArray, parseFields, parseNumber } from './golden-file.ts';

const RULES: TreeRules = {
  tolerance: tolerances([
    [/droppedTail$|index$|^rank/, 0, 0],
    [/./, 1e-9, 1e-9],
  ]),
};

function compare(reference: GoldenCase, got: unknown): GoldenMismatch[] {
  return compareTree(Object.fromEntries(reference.expect), got, RULES);
}

export function checkAggregate(reference: GoldenCase): GoldenMismatch[] {
  return compare(reference, aggregateSamples(reference.series('data'), reference.number('factor')));
}

export function checkEnergy(reference: GoldenCase): GoldenMismatch[] {
  const charge = accumulateCharge(reference.series('data'), reference.number('dtS'));
  const cumulative = parseArray(reference.expect.get('cumulative'), 'cumulative').map((entry) => {
    const index = parseNumber(parseFields(entry, 'cumulative').get('index'), 'index');
    return { index, mAh: charge?.cumulativeMAh[index] };
  });
  return compare(reference, {
    cumulative,
    totalMAh: charge?.totalMAh,
    trapezoidTotalMAh: charge?.trapezoidMAh,
  });
}

export function checkBattery(reference: GoldenCase): GoldenMismatch[] {
  const life = estimateBatteryLife({
    capacityMAh: reference.number('capacityMAh'),
    usableFraction: reference.number('usableFraction'),
    activeMA: reference.number('activeMA'),
    sleepMA: reference.number('sleepMA'),
    duty: reference.number('duty'),
  });
  return compare(reference, life);
}

export function checkSensitivity(reference: GoldenCase): GoldenMismatch[] {
  const factors = (name: string) => [
    ...new Set(
      parseArray(reference.expect.get('grid'), 'grid').map((cell) =>
        parseNumber(parseFields(cell, 'grid').get(name), name),
      ),
    ),
  ];
  const got = energySensitivity({
    currentMA: reference.series('data'),
    handshakeS: reference.number('handshakeS'),
    handshakeFactors: factors('handshakeFactor'),
    loadFactors: factors('loadFactor'),
  });
  return compare(reference, got);
}

export function checkPareto(reference: GoldenCase): GoldenMismatch[] {
  const points = reference.objects('points').map((point) => {
    const id = point.get('id');
    if (typeof id !== 'string') throw new GoldenFormatError(`pareto "${reference.id}": a point has no id`);
    const at = (name: string) => parseNumber(point.get(name), `pareto "${reference.id}": ${id}.${name}`);
    return { id, coordinates: [at('latency'), at('energy')] };
  });
  const { front, rank, dominatedBy } = rankPareto(points.map((point) => point.coordinates));
  const id = (index: number) => points[index]!.id;
  return compare(reference, {
    front: front.map(id),
    rank: Object.fromEntries(rank.map((layer, i) => [id(i), layer])),
    dominatedBy: Object.fromEntries(dominatedBy.map((above, i) => [id(i), above.map(id)])),
  });
}
