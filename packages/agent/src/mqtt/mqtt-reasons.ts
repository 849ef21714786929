import type { MqttVersion } from '@mqttlab/shared/domain/plans/trial-spec';

/** Return codes of CONNACK in MQTT 3.1 and 3.1.1 (section 3.2.2.3). */
const returnCodes: Readonly<Record<number, string>> = {
  1: 'unacceptable protocol version',
  2: 'client identifier rejected',
  3: 'server unavailable',
  4: 'bad user name or password',
  5: 'not authorised',
};

/** Reason codes of MQTT 5 (section 2.4) that a broker may send to a client. */
const reasonCodes: Readonly<Record<number, string>> = {
  0: 'normal',
  128: 'unspecified error',
  129: 'malformed packet',
  130: 'protocol error',
  131: 'implementation specific error',
  132: 'unsupported protocol version',
  133: 'client identifier not valid',
  134: 'bad user name or password',
  135: 'not authorised',
  136: 'server unavailable',
  137: 'server busy',
  138: 'banned',
  139: 'server shutting down',
  140: 'bad authentication method',
  141: 'keep alive timeout',
  142: 'session taken over',
  143: 'topic filter invalid',
  144: 'topic name invalid',
  145: 'packet identifier in use',
  146: 'packet identifier not found',
  147: 'receive maximum exceeded',
  148: 'topic alias invalid',
  149: 'packet too large',
  150: 'message rate too high',
  151: 'quota exceeded',
  152: 'administrative action',
  153: 'payload format invalid',
  154: 'retain not supported',
  155: 'QoS not supported',
  156: 'use another server',
  157: 'server moved',
  158: 'shared subscriptions not supported',
  159: 'connection rate exceeded',
  160: 'maximum connect time',
  161: 'subscription identifiers not supported',
  162: 'wildcard subscriptions not supported',
};

export function describeReturnCode(code: number, mqttVersion: MqttVersion): string {
  // Below 128 a refusal comes from a broker that does not know MQTT 5.
  const texts = mqttVersion === '5.0' && !(code in returnCodes) ? reasonCodes : returnCodes;
  return `${texts[code] ?? 'unknown reason'} (code ${code})`;
}
