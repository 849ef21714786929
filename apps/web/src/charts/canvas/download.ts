import type { Figure } from '@mqttlab/charts/drawing/figure';
import { createContext } from 'react';

/** The canvases inside one ChartPanel with what they show, for the panel's downloads. */
export type ChartHosts = Map<HTMLCanvasElement, () => Figure>;

export const ChartHostsContext = createContext<ChartHosts | null>(null);

/** Both columns of an A4 page. */
export const columnWidthMm = 170;

/** Saves a file from memory. */
export function downloadBlob(blob: Blob, fileName: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}

/** "Message latency by cipher" becomes "message-latency-by-cipher". */
export function fileNameFrom(title: string): string {
  return (
    title
      .toLowerCase()
      .normalize('NFKD')
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'chart'
  );
}

/** What is painted on a canvas, as a file. */
export function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is empty'))), 'image/png');
  });
}
