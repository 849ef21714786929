// @vitest-environment jsdom
import { printPalette } from '@mqttlab/charts/drawing/palette';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type FigureFormat, saveFigure } from './save-figure.ts';

const saved: { name: string; blob: Blob }[] = [];
const original = { create: URL.createObjectURL, revoke: URL.revokeObjectURL };

beforeEach(() => {
  const blobs: Blob[] = [];
  URL.createObjectURL = (blob: Blob) => {
    blobs.push(blob);
    return `blob:${blobs.length - 1}`;
  };
  URL.revokeObjectURL = () => undefined;
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    const blob = blobs.at(-1);
    if (blob) saved.push({ name: this.download, blob });
  });
});

afterEach(() => {
  saved.length = 0;
  Object.assign(URL, { createObjectURL: original.create, revokeObjectURL: original.revoke });
  vi.restoreAllMocks();
});

const save = async (format: FigureFormat) => {
  await saveFigure(format, {
    fileName: 'latency',
    title: 'Latency by cipher',
    table: { columns: [{ head: 'Cipher' }], rows: [['AES']] },
    palette: printPalette,
    source: { experiment: 'E-12 Cost of TLS', valid: 27, flagged: 3, software: 'mqttlab 1.0.0' },
    pictureOf: () => ({ width: 720, height: 100, label: 'Latency', nodes: [] }),
  });
  const [file] = saved;
  return { name: file?.name, text: await textOf(file?.blob) };
};

function textOf(blob: Blob | undefined): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    if (blob) reader.readAsText(blob);
  });
}

const date = () => new Date().toISOString().slice(0, 10);

it('names experiment, runs, version and date in a CSV', async () => {
  const day = date();
  const { name, text } = await save('csv');
  expect(name).toBe('latency.csv');
  expect(text).toContain('Cipher,Experiment,Valid runs,Flagged runs,Software,Date');
  // The date may change between the two calls.
  expect([day, date()].map((one) => `AES,E-12 Cost of TLS,27,3,mqttlab 1.0.0,${one}`)).toContain(
    text.split('\r\n')[1],
  );
});

it('writes them below the picture of an SVG', async () => {
  const { name, text } = await save('svg');
  expect(name).toBe('latency.svg');
  expect(text).toMatch(/^<svg/);
  expect(text).toContain('Latency by cipher');
  expect(text).toContain('E-12 Cost of TLS; 27 valid runs, 3 flagged; mqttlab 1.0.0; ');
});
