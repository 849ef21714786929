import type { Remarks } from '../remarks-type.ts';

const unsaid = [
  'Payload: 1 MByte as stated (line 346), which its own rates contradict: 22,623 messages/s through a WiFi of 65 Mbit/s (line 480) leave at most 359 B for each, headers included.',
  'Client: mosquitto_pub and mosquitto_sub in one place (lines 286 and 439), mqtt-benchmark, written in Go, in another (line 476).',
  'Certificates, their keys and chain; whether a figure is a mean or a median over 30 runs.',
  'Suites under TLS 1.3: most of those that table 2 prints there are names of TLS 1.2, which TLS 1.3 cannot negotiate; its clients could not choose a suite of TLS 1.3 (line 664), so that the suite of those rows is not known.',
];
const different = [
  'Client: the engine of this laboratory, with at most 100 messages of each client in flight.',
  'Mean, quartiles, P5 and P95 over all messages of a suite; the cross of its box plots is a median, ours a mean.',
  'Links are those of the testbed, without a VLAN of their own and without a tunnel to a central broker.',
];
const hundred = 'Payload of 100 B, which its rates can be; part c sends 1 MB, as the text states.';

/** By part. */
export const cipherSuitesRemarks: Readonly<Record<string, Remarks>> = {
  a: { unsaid, different: [hundred, ...different] },
  b: { unsaid, different: [hundred, ...different] },
  c: {
    unsaid,
    different: [
      'QoS 1 with at most four messages of each client in flight, so that the broker need not keep a gigabyte.',
      ...different,
    ],
  },
  d: {
    unsaid,
    different: [
      hundred,
      'QoS 1, few suites, and a length of time in the place of 1,000 messages: asked is the client.',
      ...different.slice(1),
    ],
  },
};
