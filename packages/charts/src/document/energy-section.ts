import { joinWords } from '@mqttlab/shared/analysis/phrase';
import type { ReportEnergy } from '@mqttlab/shared/domain/report/report-energy';
import { formatNumber } from '@mqttlab/shared/format/number';
import { formatQuantity, formatShare } from '@mqttlab/shared/format/quantity';
import { linearAxis } from '../drawing/axis.ts';
import type { FigureContext } from '../drawing/treatments.ts';
import { drawLines, drawSensitivity, linesOverTime, tableOverTime } from '../kinds/line.ts';
import { columnsOf } from '../table.ts';
import type { DocumentBuilder } from './blocks.ts';
import { countWords, intervalText, spreadWords } from './words.ts';

/** Adds power, cumulative energy, battery life and its sensitivity, for each device. */
export function addEnergy(document: DocumentBuilder, context: FigureContext): void {
  for (const energy of context.report.energy) addDevice(document, context, energy);
}

function addDevice(document: DocumentBuilder, context: FigureContext, energy: ReportEnergy): void {
  const { name } = context;
  const where = energy.sharedBy.length > 0 ? 'the machine' : `the ${energy.role}`;
  const runs = countWords(energy.power.map((one) => one.runs));
  document.heading(`Energy of ${where}`);
  document.paragraph(sourceSentence(energy));
  document.table(
    `Mean power of ${where} while measuring: geometric mean of runs with Student’s 95 % t interval.`,
    {
      columns: columnsOf('Treatment', 'Runs', ['Power', 'W']),
      rows: energy.power.map(({ treatment, runs: n, watts, lo, hi }) => [
        name(treatment),
        n,
        intervalText({ value: watts, lo, hi }),
      ]),
    },
  );
  const cumulative = energy.cumulative.map(({ joules, ...one }) => ({ ...one, value: joules }));
  if (cumulative.length > 0) {
    const title = `Cumulative energy of ${where}`;
    const bounds = cumulative.flatMap(({ lo }) => lo.map((value) => ({ lo: value })));
    const what = `Power integrated from the start of measuring (trapezoid rule): mean across runs; ${spreadWords('band', bounds)}; ${runs}.`;
    document.figure(title, what, {
      picture: drawLines(context, {
        label: title,
        xLabel: 's since the start of measuring',
        yLabel: 'Energy, J',
        zero: true,
        x: linearAxis(cumulative.flatMap(({ timesMs }) => timesMs.map((ms) => ms / 1000))),
        series: linesOverTime(cumulative),
      }),
      table: tableOverTime(cumulative, { name, heads: ['Energy', '95 % CI from', '95 % CI to'], unit: 'J' }),
    });
  }
  const { battery, sensitivity } = energy;
  if (battery) {
    document.table(
      `Life of a battery of ${formatNumber(battery.capacityMAh)} mAh at ${formatNumber(battery.voltageV)} V, ${formatNumber(battery.usableFraction * 100)} % of it usable, under this load without pauses.`,
      {
        columns: columnsOf('Treatment', ['Current', 'mA'], ['Life', 'h']),
        rows: battery.rows.map(({ treatment, currentMA, hours }) => [name(treatment), currentMA, hours]),
      },
    );
  }
  if (sensitivity) {
    const { handshakeS, handshakeShare } = sensitivity;
    const share =
      handshakeShare === null ? '' : ` and needs ${formatShare(handshakeShare)} of a run’s energy`;
    document.paragraph(
      `Connection set-up lasts ${formatQuantity(handshakeS, 's')}${share} (${name(sensitivity.treatment)}). The figure shows the effect of a set-up that is half to twice as long, and of a load that is half to twice as large.`,
    );
    document.figure(
      `Sensitivity of the energy of ${where}`,
      `Change in energy per run (${name(sensitivity.treatment)}, ${sensitivity.runs === 1 ? 'one run' : `means over ${sensitivity.runs} runs`}) by length of the set-up, one line per steady load; calculated for a constant total time, not measured.`,
      {
        picture: drawSensitivity(context, sensitivity),
        table: {
          columns: columnsOf('Set-up times', 'Load times', ['Change', '%']),
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

function qualityWords({ quality, source }: ReportEnergy): string {
  if (quality === 'modelled') return `Modelled from CPU and traffic (${source}), not measured.`;
  return quality === 'measured' ? `Measured: ${source}.` : `Reported by the device (${quality}): ${source}.`;
}

function sourceSentence(energy: ReportEnergy): string {
  const sentence = qualityWords(energy);
  const { role, sharedBy } = energy;
  if (sharedBy.length === 0) return sentence;
  return `${sentence} This is the energy of the whole machine, which runs ${joinWords([role, ...sharedBy])}.`;
}
