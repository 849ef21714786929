import * as z from 'zod';

const deviceFactsSchema = z.strictObject({
  role: z.string(),
  cpuModel: z.string().nullable(),
  cpuFeatures: z.array(z.string()).readonly().nullable(),
});

/** What the devices of a Run told about themselves; what nobody told is null. */
export const studyFactsSchema = z.strictObject({
  cpuModel: z.string().nullable(),
  /** As the agent names them: aes, pclmulqdq, avx2, neon. */
  cpuFeatures: z.array(z.string()).readonly().nullable(),
  /** "Mosquitto 2.0.11". */
  broker: z.string().nullable(),
  /** Of every device, in the order of the roles; empty where nobody told. */
  devices: z.array(deviceFactsSchema).readonly().optional(),
});

export type DeviceFacts = z.infer<typeof deviceFactsSchema>;
export type StudyFacts = z.infer<typeof studyFactsSchema>;
