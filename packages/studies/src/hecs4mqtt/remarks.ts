import type { Remarks } from '../remarks-type.ts';

const qos = 'QoS; what library computed TinyAES and BLAKE2b, PyCryptodome being the main one (line 260).';
const keys = 'Keys of 128 or 256 bits, fixed in advance (line 152): which of them a figure has is not said.';
const engine =
  'Clients in Node.js at QoS 1 instead of Python with paho-mqtt; ciphers of OpenSSL, JavaScript and WebAssembly instead of PyCryptodome, and AES-128-CTR with HMAC-SHA-256 in the place of TinyAES.';
const certificates =
  'Certificates of the cloud: self-signed for the broker (line 206), or of trusted authorities with mutual authentication (lines 130 and 325), which is future work in another place (line 423).';
const oneBroker =
  'One local broker and one bridge; keys are made for each run and not kept by a key service.';

/** By part. */
export const hecs4mqttRemarks: Readonly<Record<string, Remarks>> = {
  a: {
    unsaid: [
      qos,
      keys,
      'Payload of the run that is printed: 12,938.14 B/s for 51.07 s are 6,608 B a message as it was sent, about 4.9 kB before base64, nearest to 5 KB.',
      'Throughput is encrypted bytes over elapsed time (5.1): with a message each 0.5 s the schedule decides it, and 10 KB in base64 come to some 26,700 B/s whatever the cipher.',
      'Encryption time above 135 ms (EAX, 10 KB): of one message or of all 100; and whether the counters of perf hold the start of Python.',
      'Salsa20 is said to give p typically above 0.40 (line 298); two of its eight rounds are below.',
      'Whether the publisher used TLS towards the local broker: without it in words (line 154), with it in algorithm 1 (line 167).',
    ],
    different: [
      engine,
      'Readings instead of JPEG images; at smoke and bench scale 100 and 50 messages/s instead of two.',
      'Throughput is told both ways: payload that arrived, and encrypted bytes over elapsed time.',
      'No pause of 10 s between runs: each run starts its own processes, and waits until the devices are idle.',
    ],
  },
  b: {
    unsaid: [
      qos,
      certificates,
      'Its table 3 compares both layers in words: nothing of it was measured.',
      'How far publisher and cloud were apart: latencies of 371.92 and 384.84 ms are of two messages over the Internet.',
    ],
    different: [
      engine,
      oneBroker,
      'The cloud broker is a Mosquitto of the testbed, whose certificate bridge and subscriber check; that leg is run with and without certificates of theirs.',
    ],
  },
  c: {
    unsaid: [qos, 'How many messages were altered: its figure 5 shows seven rejections one after the other.'],
    different: [
      engine,
      oneBroker,
      'Every fifth message is altered in one bit, so that what is rejected is held against what was altered, both counted.',
    ],
  },
  d: {
    unsaid: [
      'Payload capture test at the cloud broker: its table 1 names it with an outcome in words (line 271); no capture is printed.',
      'Whether packets were captured before the cloud broker or behind its TLS.',
    ],
    different: [
      engine,
      oneBroker,
      'Packets are captured at the device of each broker; what the MAC of an altered message does is asked in part c.',
    ],
  },
};
