import type { ChartHosts } from '../panels/chart-hosts.tsx';
import type { ChartTheme } from './chart-theme.ts';

export type PngRequest = {
  title: string;
  subtitle: string;
  hosts: ChartHosts;
  body: HTMLElement;
  theme: ChartTheme;
};

const SCALE = 2;
const MARGIN = 16;
const HEAD = 44;

/** The panel's canvases at twice the size, under their title and subtitle, as a PNG. */
export async function renderPng({ title, subtitle, hosts, body, theme }: PngRequest): Promise<Blob> {
  const frame = body.getBoundingClientRect();
  const picture = document.createElement('canvas');
  picture.width = (frame.width + 2 * MARGIN) * SCALE;
  picture.height = (frame.height + HEAD + 2 * MARGIN) * SCALE;
  const ctx = picture.getContext('2d');
  if (!ctx) throw new Error('This browser offers no 2D canvas');
  ctx.scale(SCALE, SCALE);
  ctx.fillStyle = theme.surface;
  ctx.fillRect(0, 0, frame.width + 2 * MARGIN, frame.height + HEAD + 2 * MARGIN);
  ctx.fillStyle = theme.text;
  ctx.font = `600 14px ${theme.fontSans}`;
  ctx.fillText(title, MARGIN, MARGIN + 12);
  ctx.fillStyle = theme.text3;
  ctx.font = `400 12px ${theme.fontSans}`;
  ctx.fillText(subtitle, MARGIN, MARGIN + 30);
  for (const [canvas, { renderAt }] of hosts) {
    const place = canvas.getBoundingClientRect();
    renderAt(SCALE);
    ctx.drawImage(
      canvas,
      place.left - frame.left + MARGIN,
      place.top - frame.top + HEAD + MARGIN,
      place.width,
      place.height,
    );
    renderAt(window.devicePixelRatio);
  }
  return new Promise((resolve, reject) => {
    picture.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture is empty'))), 'image/png');
  });
}
