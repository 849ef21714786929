import type { PublishedGroup } from './published-group.ts';

/** As printed. */
export const cipherSuitesPublished: readonly PublishedGroup[] = [
  {
    study: 'cipher-suites',
    table: 'best-worst',
    metric: 'bandwidth',
    unit: 'msg/s',
    source: 'Best and worst suite by link, MQTT and TLS version at QoS 0; suite names as printed',
    values: {
      'Ethernet MQTT 3.1.1 TLS 1.2 best ECDHE-RSA-CHACHA20-POLY1305': 21295,
      'Ethernet MQTT 3.1.1 TLS 1.2 worst ECDHE-ECDSA-AES256-SHA': 17353,
      'WiFi-2.4 MQTT 3.1.1 TLS 1.2 best AES256-GCM-SHA384': 22623,
      'WiFi-2.4 MQTT 3.1.1 TLS 1.2 worst DHE-RSA-CHACHA20-POLY1305': 10527,
      'WiFi-2.4 MQTT 3.1.1 TLS 1.3 best ECDHE-ECDSA-AES256-GCM-SHA384': 22525,
      'WiFi-2.4 MQTT 3.1.1 TLS 1.3 worst DHE-RSA-AES256-GCM-SHA384': 21553,
      'WiFi-2.4 MQTT 5.0 TLS 1.2 best AES128-GCM-SHA256': 20661,
      'WiFi-2.4 MQTT 5.0 TLS 1.2 worst ECDHE-RSA-CHACHA20-POLY1305': 10597,
      'WiFi-2.4 MQTT 5.0 TLS 1.3 best ECDHE-RSA-AES256-GCM-SHA384': 21553,
      'WiFi-2.4 MQTT 5.0 TLS 1.3 worst DHE-RSA-AES256-GCM-SHA384': 20242,
      '4G-LTE MQTT 3.1.1 TLS 1.2 best DHE-RSA-CHACHA20-POLY1305': 22239,
      '4G-LTE MQTT 3.1.1 TLS 1.2 worst ECDHE-RSA-AES128-GCM-SHA256': 12819,
      '4G-LTE MQTT 5.0 TLS 1.2 best AES128-SHA': 22526,
      '4G-LTE MQTT 5.0 TLS 1.2 worst ECDHE-ECDSA-AES128-SHA': 13743,
      '4G-LTE MQTT 3.1.1 TLS 1.3 best ECDHE-ECDSA-AES256-GCM-SHA384': 22333,
      '4G-LTE MQTT 3.1.1 TLS 1.3 worst TLS-AES-128-GCM-SHA256': 5376,
      '4G-LTE MQTT 5.0 TLS 1.3 best TLS-CHACHA20-POLY1305-SHA256': 21461,
      '4G-LTE MQTT 5.0 TLS 1.3 worst ECDHE-RSA-AES256-GCM-SHA384': 21113,
    },
  },
];
