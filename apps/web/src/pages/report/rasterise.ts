import { type Picture, toSvgText } from '@mqttlab/shared/figures/drawing/svg';

/** Both columns of an A4 page. */
export const columnWidthMm = 170;
const dotsPerInch = 300;
const mmPerInch = 25.4;

/** A PNG of 300 dots per inch at the width of a printed page, on white. */
export async function rasterise(picture: Picture): Promise<Blob> {
  const width = Math.round((columnWidthMm / mmPerInch) * dotsPerInch);
  const height = Math.round((width * picture.height) / picture.width);
  const address = URL.createObjectURL(new Blob([toSvgText(picture)], { type: 'image/svg+xml' }));
  try {
    const image = new Image(width, height);
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext('2d');
    if (!context) throw new Error('this browser offers no 2D canvas');
    context.fillStyle = '#FFFFFF';
    context.fillRect(0, 0, width, height);
    context.drawImage(image, 0, 0, width, height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error('the picture is empty'))),
        'image/png',
      );
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}
