/** What hecs4mqtt says in words and nobody measured, told in ours; lines are those of its full text. */

/** Its table 3 (lines 428 to 439): one broker with TLS against layers of encryption over two brokers. */
export const layersInWords: readonly (readonly [aspect: string, tlsOnly: string, layered: string])[] = [
  [
    'Architecture',
    'one broker, TLS from every client',
    'local broker and cloud broker, a scheme of its own on each',
  ],
  ['Encryption at the edge', 'TLS with AES and a handshake', 'light cipher such as Salsa20 with BLAKE2b'],
  [
    'Data behind the broker',
    'not kept: the broker decrypts',
    'kept: encrypted anew before it leaves the site',
  ],
  ['Metadata', 'protected by TLS', 'protected by TLS on the outer layer, payload from end to end'],
  ['End-to-end confidentiality', 'ends at the broker', 'from publisher to subscriber, by layers'],
  ['A broker taken over', 'exposes the data of all clients', 'exposes less'],
  ['TLS on the device', 'handshake and certificates', 'none'],
  ['Keys', 'certificates in one place', 'several symmetric keys, light at the edge'],
  ['Fit for small devices', 'less', 'more'],
  ['Audit', 'logs of TLS and of endpoints', 'by domain of trust'],
  ['Several hospitals', 'one point of failure', 'independent local brokers, managed in the cloud'],
];

/** Its table 1 (lines 268 to 274), and how much of each metric is measured here. */
export const metricsInWords: readonly (readonly [
  metric: string,
  tool: string,
  where: string,
  here: string,
])[] = [
  [
    'Confidentiality',
    'NIST STS, Wireshark',
    'edge and cloud',
    'approximate entropy of ciphertexts, part a; packets, part d',
  ],
  ['Integrity', 'altered HMAC, TLS', 'edge and cloud', 'altered messages, rejected and counted, part c'],
  ['A broker taken over', 'payload capture', 'cloud broker', 'packets at both brokers, part d'],
  ['CPU', 'perf, psutil', 'publisher', 'CPU time, and cycles where they are counted, part a'],
  ['Encryption time', 'perf, psutil', 'publisher', 'clock around the cipher, part a'],
  ['Throughput', 'perf, psutil', 'publisher', 'encrypted bytes over elapsed time, part a'],
];

/** Its mapping to MITRE ATT&CK (lines 323 to 327). */
export const attacksInWords: readonly (readonly [technique: string, answer: string, here: string])[] = [
  [
    'T1565, data manipulation',
    'authenticated encryption on both layers',
    'tried: one bit of every fifth message',
  ],
  [
    'T1557, man in the middle',
    'TLS 1.3 with certificates, on the cloud leg',
    'the bridge checks the certificate of the cloud broker',
  ],
  ['T1071.001, abuse of MQTT', 'access rules for topics', 'not tried'],
  ['T1110, brute force', 'keys instead of passwords', 'a fresh key for each run, no passwords'],
];
