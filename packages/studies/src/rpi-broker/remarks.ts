import type { Remarks } from '../remarks-type.ts';

const clients =
  'Clients: the engine of this laboratory, not paho-mqtt, so that what clients cost is not what it was there.';
const mosquitto =
  'Broker: Mosquitto, started for each run, not EMQX; EMQX works in all four cores of the board, Mosquitto in one thread.';
const abused =
  'Broker: a Mosquitto of its own for each run, as it comes beside a hardened one. The study attacked EMQX; no broker that somebody else runs is abused here, and this laboratory starts no EMQX.';

/** By part. */
export const rpiBrokerRemarks: Readonly<Record<string, Remarks>> = {
  a: {
    unsaid: [
      'Payload of the messages, version of TLS, suite and certificate.',
      'The line goes through the first and the last point only (line 160): by them its slope is 1.317 and all of the board is taken at 156.7 subscribers, by the rounded slope of the text at 156.33.',
      'Memory is told in percent of the board, whose size is not stated.',
    ],
    different: [
      mosquitto,
      clients,
      'Readings of 100 B; at smoke and bench scale 50 messages/s instead of as many as possible.',
      'Where the line ends: at the cores that the broker can use, one for Mosquitto and the embedded broker, all of its device for others.',
    ],
  },
  b: {
    unsaid: [
      'QoS of the published message (held equal, line 202, but not named), version of TLS, suite, certificate and chain.',
      'Where counting begins: 194 B to connect over TCP cannot hold the handshake of TCP and its frames.',
      'Figure 3 is said to show these bytes (line 142), while its caption names memory; the bytes stand in table 3.',
    ],
    different: [
      mosquitto,
      'Frames are counted from what the kernel tells of each connection, with the handshake of TCP; the study added up the lengths of captured frames.',
      'Every certificate, chain and QoS of the plan has a row of its own, beside the one figure of each state.',
    ],
  },
  c: {
    unsaid: [
      'Payload: 5.73 MB/min at a median of 10.48 ms is 1,001 B, so that 1,000 B are taken.',
      'QoS of MQTT; whether CoAP was confirmable; how often messages were sent.',
      'The third quartile rises from 13.40 to 133.21 ms at 2 % loss: to 9.94 times, which is 894 % more; the text says a 993 % increase (line 177).',
    ],
    different: [
      'Loss towards the broker only, as published: the kernel drops packets that arrive at the broker’s device, or tc what leaves the clients.',
      'One exchange is PUBLISH to PUBACK at QoS 1, timed from the instant at which it was due; both ways of CoAP are run.',
      'Messages on a schedule (20/s, 40/s at smoke scale), fewer than 1,000 at smoke and bench scale.',
      clients,
    ],
  },
  d: {
    unsaid: [
      'How many connections were tried and how long: no figure of this attempt is given.',
      'Outcome in words (line 214): EMQX sets no limit of connections by default, so that an attack on that limit was not possible; what unlimited connections cost the board is left open.',
    ],
    different: [abused],
  },
  e: {
    unsaid: [
      'Persistent sessions were analysed from the specification (line 152), not measured: there is no figure.',
    ],
    different: [
      abused,
      'What the text expects, memory that grows with sessions that never expire, is measured here.',
    ],
  },
  f: {
    unsaid: [
      'What was seen: Nmap, Ettercap and Wireshark are named as tools (line 92), and that plain MQTT can be eavesdropped on in words (line 222); no topic, payload or capture is printed.',
      'Version of TLS, suite and certificate.',
    ],
    different: [
      'Packets are captured at the device of the broker and at its port only; capturing takes CPU time there, so that no cost is judged here.',
      mosquitto,
      clients,
    ],
  },
};
