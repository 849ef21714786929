import type { Remarks } from '../remarks-type.ts';

const remarks: Remarks = {
  unsaid: [
    'We hold the abstract only (its record links an open-access article): payload, rate, QoS, sizes of batches, libraries, group, certificate and how energy was measured are not in it.',
    'No figure is in it: its three findings are judged by their direction, each where a pair of ours differs clearly.',
  ],
  different: [
    'Ours: readings of 100 B at QoS 1, 1 to 64 in a message, X25519 and ECDSA P-256, Mosquitto.',
    'Execution time is that of 10,000 readings at full speed; transmission cost is told as bytes on the wire for each reading.',
  ],
};

/** By part. */
export const v2xTlsRemarks: Readonly<Record<string, Remarks>> = {
  a: remarks,
  b: remarks,
  c: {
    unsaid: remarks.unsaid,
    different: [
      ...remarks.different,
      'OpenSSL is told to leave the AES instructions of the CPU (OPENSSL_ia32cap, OPENSSL_armcap), in broker and clients; how fast AES-256-GCM then is beside ChaCha20-Poly1305 is measured in each client.',
    ],
  },
};
