import type { PublishedTable } from '../published-table.ts';

type Row = readonly [link: string, suite: string, mqtt: '3.11' | '5.0', tls: '1.2' | '1.3', rate: number];

/** Values as printed, in the order of the table: the best suite in each pair first. */
const rows: readonly Row[] = [
  ['ETHERNET', 'ECDHE-RSA-CHACHA20-POLY1305', '3.11', '1.2', 21295],
  ['ETHERNET', 'ECDHE-ECDSA-AES256-SHA', '3.11', '1.2', 17353],
  ['WiFi-2.4', 'AES256-GCM-SHA384', '3.11', '1.2', 22623],
  ['WiFi-2.4', 'DHE-RSA-CHACHA20-POLY1305', '3.11', '1.2', 10527],
  ['WiFi-2.4', 'ECDHE-ECDSA-AES256-GCM-SHA384', '3.11', '1.3', 22525],
  ['WiFi-2.4', 'DHE-RSA-AES256-GCM-SHA384', '3.11', '1.3', 21553],
  ['WiFi-2.4', 'AES128-GCM-SHA256', '5.0', '1.2', 20661],
  ['WiFi-2.4', 'ECDHE-RSA-CHACHA20-POLY1305', '5.0', '1.2', 10597],
  ['WiFi-2.4', 'ECDHE-RSA-AES256-GCM-SHA384', '5.0', '1.3', 21553],
  ['WiFi-2.4', 'DHE-RSA-AES256-GCM-SHA384', '5.0', '1.3', 20242],
  ['4G-LTE', 'DHE-RSA-CHACHA20-POLY1305', '3.11', '1.2', 22239],
  ['4G-LTE', 'ECDHE-RSA-AES128-GCM-SHA256', '3.11', '1.2', 12819],
  ['4G-LTE', 'AES128-SHA', '5.0', '1.2', 22526],
  ['4G-LTE', 'ECDHE-ECDSA-AES128-SHA', '5.0', '1.2', 13743],
  ['4G-LTE', 'ECDHE-ECDSA-AES256-GCM-SHA384', '3.11', '1.3', 22333],
  ['4G-LTE', 'TLS-AES-128-GCM-SHA256', '3.11', '1.3', 5376],
  ['4G-LTE', 'TLS-CHACHA20-POLY1305-SHA256', '5.0', '1.3', 21461],
  ['4G-LTE', 'ECDHE-RSA-AES256-GCM-SHA384', '5.0', '1.3', 21113],
];

/** Line of the first row. Each row has six lines, one per cell, and three empty lines. */
const firstLine = 795;

/** Returns the line of a row. The cell with the worst suite comes before the cell with the best suite. */
function lineOf(index: number): number {
  return firstLine + 9 * index + (index % 2 === 0 ? 5 : 4);
}

function nameOf([link, suite, mqtt, tls]: Row, index: number): string {
  const where = link === 'ETHERNET' ? 'Ethernet' : link;
  const version = mqtt === '3.11' ? '3.1.1' : mqtt;
  return `${where} MQTT ${version} TLS ${tls} ${index % 2 === 0 ? 'best' : 'worst'} ${suite}`;
}

export const cipherSuitesTables: readonly PublishedTable[] = [
  {
    table: 'best-worst',
    place: 'Table 2: best and worst suite by link, MQTT and TLS version; suite names as printed',
    role: 'not stated: one client or all clients',
    conditions: [
      { text: 'QoS 0', printed: ['QoS0'], line: 783 },
      { text: 'payload of 1 MByte, as stated', printed: ['1 MByte'], line: 346 },
      { text: '10 clients, 1,000 messages', printed: ['10 dummy clients', '1000'], line: 476 },
      { text: 'WiFi at 65 Mbit/s at most', printed: ['65 Mbit/s'], line: 480 },
      { text: '30 runs', printed: ['30 consecutive'], line: 290 },
    ],
    rows: Object.fromEntries(
      rows.map((row, index) => {
        const [link, suite, mqtt, tls] = row;
        return [
          nameOf(row, index),
          {
            line: lineOf(index),
            printed: [link, ` ${suite} `, `V${mqtt}`, `V${tls} ${index % 2 === 0 ? '| |' : '|'}`],
            alone:
              'the message size is uncertain, and the rate may apply to one client or to all clients, so ranks are compared instead of rates',
          },
        ];
      }),
    ),
    metrics: {
      bandwidth: {
        unit: 'msg/s',
        values: Object.fromEntries(rows.map((row, index) => [nameOf(row, index), row[4]])),
      },
    },
  },
];
