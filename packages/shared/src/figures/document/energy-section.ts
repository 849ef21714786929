import type { ReportEnergy } from '../../domain/report-energy.ts';
import { formatNumber } from '../../format/number.ts';
import { linearAxis } from '../axis.ts';
import { drawLines } from '../lines-figure.ts';
import { drawSensitivity } from '../sensitivity-figure.ts';
import type { FigureContext } from '../treatments.ts';
import type { DocumentBuilder } from './blocks.ts';
import { linesOverTime, tableOverTime } from './over-time.ts';

/** Power, cumulative energy, battery life and its sensitivity, device by device. */
export function addEnergy(document: DocumentBuilder, context: FigureContext): void {
  for (const energy of context.report.energy) addDevice(document, context, energy);
}

function addDevice(document: DocumentBuilder, context: FigureContext, energy: ReportEnergy): void {
  const { name } = context;
  document.heading(`Energy of the ${energy.role}`);
  document.paragraph(`Source: ${energy.source}; quality: ${energy.quality}.`);
  document.table(`Mean power of the ${energy.role} while measuring.`, {
    columns: [{ head: 'Treatment' }, { head: 'Runs' }, { head: 'Power', unit: 'W' }],
    rows: energy.power.map(({ treatment, runs, watts }) => [name(treatment), runs, watts]),
  });
  const cumulative = energy.cumulative.map(({ joules, ...one }) => ({ ...one, value: joules }));
  if (cumulative.length > 0) {
    const title = `Cumulative energy of the ${energy.role}`;
    document.figure(title, 'Mean across runs, band: 95 % t interval over runs.', {
      picture: drawLines(context, {
        label: title,
        xLabel: 's since measuring began',
        yLabel: 'J',
        zero: true,
        x: linearAxis(cumulative.flatMap(({ timesMs }) => timesMs.map((ms) => ms / 1000))),
        series: linesOverTime(cumulative),
      }),
      table: tableOverTime(cumulative, { name, heads: ['Energy', '95 % CI from', '95 % CI to'], unit: 'J' }),
    });
  }
  const { battery, sensitivity } = energy;
  if (battery) {
    document.table(
      `Life of a battery of ${formatNumber(battery.capacityMAh)} mAh at ${formatNumber(battery.voltageV)} V, ${formatNumber(battery.usableFraction * 100)} % of it usable, under this load without a pause.`,
      {
        columns: [{ head: 'Treatment' }, { head: 'Current', unit: 'mA' }, { head: 'Life', unit: 'h' }],
        rows: battery.rows.map(({ treatment, currentMA, hours }) => [name(treatment), currentMA, hours]),
      },
    );
  }
  if (sensitivity) {
    document.figure(
      `Sensitivity of the energy of the ${energy.role}`,
      `Change of the energy of one run (${name(sensitivity.treatment)}) if the set-up of ${sensitivity.handshakeS} s lasted longer or the steady load were larger.`,
      {
        picture: drawSensitivity(context, sensitivity),
        table: {
          columns: [{ head: 'Set-up times' }, { head: 'Load times' }, { head: 'Change', unit: '%' }],
          rows: sensitivity.cells.map(({ handshakeFactor, loadFactor, relChange }) => [
            handshakeFactor,
            loadFactor,
            relChange === null ? null : relChange * 100,
          ]),
        },
      },
    );
  }
}
