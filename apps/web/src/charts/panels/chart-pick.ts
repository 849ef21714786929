import { createContext } from 'react';

/** What a click on a treatment in a chart does; null where charts are only looked at. */
export const ChartPickContext = createContext<((treatmentId: string) => void) | null>(null);

/** Opacity of a treatment that others were chosen over. */
export const dimmedAlpha = 0.22;
