import { drawPreview } from '@mqttlab/charts/document/preview';
import { printPalette } from '@mqttlab/charts/drawing/palette';
import { figureFont } from '@mqttlab/charts/drawing/svg';
import type { Headline } from '@mqttlab/shared/domain/runs/experiment';
import { paintNodes } from '../charts/canvas/paint-nodes.ts';

/** Returns the preview of a shared link as a PNG in base64; null without a canvas. */
export async function paintPreview(title: string, headline: Headline | null): Promise<string | null> {
  const { width, height, nodes } = drawPreview(printPalette, title, headline);
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const ctx = canvas.getContext('2d');
  if (!ctx) return null;
  await document.fonts.ready;
  paintNodes(ctx, nodes, figureFont);
  const [, image = ''] = canvas.toDataURL('image/png').split(',');
  return image === '' ? null : image;
}
