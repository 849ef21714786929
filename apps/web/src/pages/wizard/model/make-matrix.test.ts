import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { countCombinations, expandTreatments } from '@mqttlab/shared/planning/expand-treatments';
import { makeTestbed, makeWorkload } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { makeMatrix } from './make-matrix.ts';

const workload = makeWorkload();
const view = makeTestbedView(makeTestbed());

const draft = {
  workload,
  factors: {
    security: ['plain', 'TLS 1.2', 'TLS 1.3'],
    cipherSuite: ['ECDHE-ECDSA-AES256-GCM-SHA384', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
    group: ['X25519', 'P-256'],
    qos: [0, 1],
  },
};

describe('makeMatrix', () => {
  it('has suites as rows, protocol by group as columns, and plain separately', () => {
    const matrix = makeMatrix('security', draft, view);
    expect(matrix?.heads.map((heads) => heads.map(({ label, span }) => `${label}/${span}`))).toEqual([
      ['TLS 1.2/2', 'TLS 1.3/2'],
      ['X25519/1', 'P-256/1', 'X25519/1', 'P-256/1'],
    ]);
    expect(matrix?.rows.map((row) => row.title)).toEqual([...draft.factors.cipherSuite, 'Plain']);
    expect(matrix?.rows[0]?.label).toBe('AES-256-GCM ECDHE-ECDSA');
  });

  it('merges cells that are impossible for the same reason, and shows the reason', () => {
    const blocks = makeMatrix('security', draft, view)?.rows.map((row) =>
      row.blocks.map(({ kind, struck, words, colSpan, rowSpan }) =>
        [kind, struck, words, `${colSpan}x${rowSpan}`].filter(Boolean).join(' | '),
      ),
    );
    expect(blocks).toEqual([
      [
        'possible | 1x1',
        'possible | 1x1',
        'impossible | AES-256-GCM ECDHE-ECDSA | TLS 1.3 has its own suites | 2x1',
      ],
      [
        'impossible | AES-256-GCM, ChaCha20-Poly1305 | TLS 1.2 cannot negotiate it | 2x2',
        'possible | 1x1',
        'possible | 1x1',
      ],
      ['possible | 1x1', 'possible | 1x1'],
      ['once | no cipher suite or key exchange to choose: counted once | 4x1'],
    ]);
  });

  it('counts like the planner', () => {
    const matrix = makeMatrix('security', draft, view);
    const cells = expandTreatments({ ...draft, factors: { ...draft.factors, qos: [0] } }, view);
    expect(matrix?.possible).toBe(cells.filter((cell) => cell.refusals.length === 0).length);
    expect((matrix?.possible ?? 0) + (matrix?.struckOut ?? 0)).toBe(cells.length);
    expect(cells.length).toBeLessThan(countCombinations(draft, view));
  });

  it('merges columns in which a suite does not differ', () => {
    const rsa = {
      workload,
      factors: {
        security: ['TLS 1.2', 'TLS 1.3'],
        cipherSuite: ['AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384', 'TLS_AES_256_GCM_SHA384'],
        group: ['X25519', 'P-256'],
        certificate: ['RSA 2048'],
      },
    };
    const [first] = makeMatrix('security', rsa, view)?.rows ?? [];
    expect(first?.blocks.map(({ kind, colSpan }) => `${kind} ${colSpan}`)).toEqual([
      'once 2',
      'impossible 2',
    ]);
  });

  it('fills every row of the table exactly', () => {
    const matrix = makeMatrix('security', draft, view);
    const width = matrix?.columns ?? 0;
    const filled = Array.from({ length: matrix?.rows.length ?? 0 }, () => 0);
    for (const [r, row] of (matrix?.rows ?? []).entries()) {
      for (const block of row.blocks) {
        for (let y = r; y < r + block.rowSpan; y++) filled[y] = (filled[y] ?? 0) + block.colSpan;
      }
    }
    expect(filled).toEqual(filled.map(() => width));
  });

  it('is null if only one factor of the group varies', () => {
    expect(
      makeMatrix('security', { workload, factors: { security: ['plain', 'TLS 1.3'] } }, view),
    ).toBeNull();
  });

  it('strikes out a load that no device can pace', () => {
    const matrix = makeMatrix(
      'load',
      { workload, factors: { rate: [100, 10_000], publishers: [1, 500] } },
      view,
    );
    expect(matrix).toMatchObject({ possible: 3, struckOut: 1, isTelling: true });
    expect(
      makeMatrix('load', { workload, factors: { rate: [100, 200], publishers: [1, 2] } }, view)?.isTelling,
    ).toBe(false);
  });

  it('shows combinations that a constant level makes impossible, even if only one factor varies', () => {
    const held = {
      workload,
      factors: { security: ['TLS 1.2', 'TLS 1.3'], cipherSuite: ['TLS_AES_256_GCM_SHA384'] },
    };
    const matrix = makeMatrix('security', held, view);
    expect(matrix).toMatchObject({ possible: 1, struckOut: 1, isTelling: true });
    expect(
      matrix?.rows[0]?.blocks.map(({ kind, words }) => [kind, words].filter(Boolean).join(': ')),
    ).toEqual(['impossible: TLS 1.2 cannot negotiate it', 'possible']);
  });
});
