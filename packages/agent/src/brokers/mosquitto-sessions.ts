import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';

/** Largest MQTT packet there is (MQTT 5 section 1.5.5): remaining length of four bytes. */
export const largestPacketBytes = 268_435_455;

/** Most unacknowledged messages for each client: all that 16-bit packet identifiers allow. */
const inflightMessages = 65_535;

/** What systemd lets a service open unless its unit says otherwise (DefaultLimitNOFILE, soft). */
export const serviceFiles = 1024;

/**
 * Limits against abuse of sessions (mosquitto.conf(5)), in the order of the file. The keep-alive is the
 * shortest that there is, so that its effect shows within a run (after 15 s); `max_connections` lies below the files
 * that the service may open.
 */
const hardening: readonly string[] = [
  'max_connections 500',
  'max_keepalive 10',
  'max_queued_messages 10',
  'max_queued_bytes 16384',
  'max_inflight_messages 10',
  'max_packet_size 65536',
  'persistent_client_expiration 1h',
];

/**
 * What of mosquitto.conf is about sessions and queues. Nothing throttles a load: queues are unlimited and the window
 * is the publisher's own. For availability it is Mosquitto as a distribution ships it, with persistence, and with or
 * without limits.
 */
export function sessionLines(
  { workload, brokerHardening }: Pick<TrialSpec, 'workload' | 'brokerHardening'>,
  folder: string,
): string[] {
  if (workload !== 'availability') {
    return [
      'persistence false',
      `max_inflight_messages ${inflightMessages}`,
      'max_queued_messages 0',
      `max_packet_size ${largestPacketBytes}`,
    ];
  }
  return [
    'persistence true',
    // It has to end in a slash. The folder of the Run goes with everything in it.
    `persistence_location ${folder}/`,
    ...(brokerHardening === 'hardened' ? hardening : []),
  ];
}
