import type { Remarks } from '../remarks-type.ts';

/** By part. */
export const stabilityAwareRemarks: Readonly<Record<string, Remarks>> = {
  a: {
    unsaid: [
      'Payload, how often messages were sent, QoS, and the suite: whatever the library negotiated, typically with RSA key exchange (line 216).',
      'Latency of plain, 24.8 ms, is a round trip at the broker, because the clocks of that run were not synchronised (line 266); the two others are one way. Overheads over it and the rank of plain in the Pareto front are therefore not comparable with ours.',
      'Coefficient of variation of the latency of TLS: 2.24 % in table 4, 4.7 % in the words above it (line 253). Those words call it one across runs and below 5 % throughout; the table has segments of 120 s, and 5.18 % for the hybrid.',
      'Sizes of effects, intervals and the numbers behind figures 2 to 11: they are drawn only.',
      'AES of the ESP32: its accelerator was not explicitly enabled (line 200), which does not say that the library did not use it.',
      'What it calls energy, in mAh, is charge: at the same voltage both stand in the same ratio.',
    ],
    different: [
      'Emitter and receiver are devices with Linux that run our agent; current is power over voltage, by a meter where there is one, else modelled from CPU time.',
      'Memory is what the process has in use at run time; the study printed the static memory of a firmware, which stands alone.',
      'TLS 1.2 with RSA key exchange and AES-128-GCM, which nothing in the text contradicts; every run has a full handshake, as there.',
      'Three configurations more: TLS 1.2 with ECDHE, TLS 1.3, and the hybrid with AES-128-GCM, which authenticates as TLS does.',
      'Latency one way by clocks that are compared before and after each run, or half a round trip where they cannot be trusted, the same for all configurations.',
      'At smoke and bench scale runs last 6 and 32 s instead of 600 s; what is printed for 600 s then stands alone.',
    ],
  },
};
