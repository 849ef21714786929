import { describe, expect, it } from 'vitest';
import { toCsv } from '../table.ts';
import { fixTextWidths, framePicture, provenanceText, withProvenance } from './export.ts';
import { label } from './marks.ts';
import { printPalette } from './palette.ts';
import { toSvgText } from './svg.ts';

const provenance = {
  experiment: 'E-12 Cost of TLS',
  valid: 27,
  flagged: 3,
  software: 'mqttlab 1.0.0',
  date: '2026-11-26',
};

describe('provenanceText', () => {
  it('has experiment, counts of runs, version and date', () => {
    expect(provenanceText(provenance)).toBe(
      'E-12 Cost of TLS; 27 valid runs, 3 flagged; mqttlab 1.0.0; 2026-11-26',
    );
    expect(provenanceText({ software: 'mqttlab 1.0.0', date: '2026-11-26' })).toBe(
      'mqttlab 1.0.0; 2026-11-26',
    );
  });
});

describe('framePicture', () => {
  const picture = {
    width: 300,
    height: 100,
    label: 'A chart',
    nodes: [label('inside', { x: 0, y: 50, fill: '#000' })],
  };

  it('has room for title, picture and provenance, in that order', () => {
    const framed = framePicture(picture, { palette: printPalette, provenance, title: 'Latency' });
    expect(framed.height).toBeGreaterThan(picture.height + 40);
    const text = toSvgText(fixTextWidths(framed));
    const places = ['>Latency<', '>inside<', '>E-12 Cost of TLS;'].map((part) => text.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});

describe('withProvenance', () => {
  it('repeats it in every record', () => {
    const csv = toCsv(
      withProvenance({ columns: [{ head: 'Cipher' }], rows: [['AES'], ['Plain']] }, provenance),
    );
    expect(csv.split('\r\n').slice(0, 3)).toEqual([
      'Cipher,Experiment,Valid runs,Flagged runs,Software,Date',
      'AES,E-12 Cost of TLS,27,3,mqttlab 1.0.0,2026-11-26',
      'Plain,E-12 Cost of TLS,27,3,mqttlab 1.0.0,2026-11-26',
    ]);
  });
});
