import type { Headline } from '@mqttlab/shared/domain/runs/experiment';

/** As Open Graph wants it. */
const size = { width: 1200, height: 630 };
const margin = 72;
const colours = { paper: '#ffffff', ink: '#14181d', dim: '#47505b', line: '#c3c8ee', accent: '#4450c4' };
const font = (px: number, weight: number): string =>
  `${weight} ${px}px 'Inter Variable', Inter, 'Helvetica Neue', Arial, sans-serif`;

/** The picture beside the address of a link: its title, the leading finding and its interval. PNG, base64. */
export async function drawPreview(title: string, headline: Headline | null): Promise<string | null> {
  const canvas = Object.assign(document.createElement('canvas'), size);
  const pen = canvas.getContext('2d');
  if (!pen) return null;
  await document.fonts.ready;
  pen.fillStyle = colours.paper;
  pen.fillRect(0, 0, size.width, size.height);
  pen.fillStyle = colours.accent;
  pen.fillRect(0, 0, size.width, 12);
  const write = textWriter(pen);
  write('mqttlab', { y: 96, px: 30, weight: 600, colour: colours.accent, lines: 1 });
  const end = write(title, { y: 180, px: 60, weight: 650, colour: colours.ink, lines: 2 });
  if (headline) {
    const sentence = headline.sentence.replace(/\*\*/g, '');
    write(sentence, { y: end + 10, px: 32, weight: 400, colour: colours.dim, lines: 3 });
    drawInterval(pen, headline);
  }
  const [, image = ''] = canvas.toDataURL('image/png').split(',');
  return image === '' ? null : image;
}

interface Words {
  y: number;
  px: number;
  weight: number;
  colour: string;
  lines: number;
}

/** Breaks at words; returns where the next line would stand. */
function textWriter(pen: CanvasRenderingContext2D) {
  return (text: string, { y, px, weight, colour, lines }: Words): number => {
    pen.font = font(px, weight);
    pen.fillStyle = colour;
    const broken: string[] = [''];
    for (const word of text.split(' ')) {
      const longer = `${broken.at(-1)} ${word}`.trim();
      if (pen.measureText(longer).width <= size.width - 2 * margin) broken[broken.length - 1] = longer;
      else broken.push(word);
    }
    const shown = broken.slice(0, lines);
    if (broken.length > lines) shown[lines - 1] = `${shown[lines - 1]} …`;
    for (const [index, line] of shown.entries()) pen.fillText(line, margin, y + index * px * 1.25);
    return y + shown.length * px * 1.25;
  };
}

/** The contrast with its 95 % interval, against no difference. */
function drawInterval(pen: CanvasRenderingContext2D, { scale, value, lo, hi, figure, who }: Headline): void {
  const write = textWriter(pen);
  write(figure, { y: 490, px: 40, weight: 650, colour: colours.ink, lines: 1 });
  write(who, { y: 530, px: 24, weight: 400, colour: colours.dim, lines: 1 });
  if (value === null || lo === null || hi === null) return;
  const none = scale === 'ratio' ? 1 : 0;
  const [least, most] = [Math.min(lo, none), Math.max(hi, none)];
  const room = most - least || 1;
  const at = (x: number): number => margin + 20 + ((x - least) / room) * (size.width - 2 * margin - 40);
  pen.lineWidth = 3;
  pen.strokeStyle = colours.line;
  pen.beginPath();
  pen.moveTo(at(none), 558);
  pen.lineTo(at(none), 602);
  pen.stroke();
  pen.lineWidth = 6;
  pen.strokeStyle = colours.accent;
  pen.beginPath();
  pen.moveTo(at(lo), 580);
  pen.lineTo(at(hi), 580);
  pen.stroke();
  pen.fillStyle = colours.accent;
  pen.beginPath();
  pen.arc(at(value), 580, 11, 0, 2 * Math.PI);
  pen.fill();
}
