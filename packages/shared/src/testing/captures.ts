import type { RunCapture } from '../domain/runs/capture.ts';
import type { RadioState } from '../domain/runs/radio.ts';

/** TLS 1.2 with ECDHE-ECDSA-AES128-GCM-SHA256. */
export const capturedConnection = {
  clientPort: 40_001,
  bytesSent: 10_000,
  bytesReceived: 2_000,
  version: 'TLS 1.2',
  suite: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  messagesSent: null,
  messagesReceived: null,
};

export function makeCapture(change: Partial<RunCapture> = {}): RunCapture {
  return {
    level: 'full',
    program: 'tcpdump 4.99.3',
    fileBytes: 1_000_000,
    packets: 900,
    lostPackets: 0,
    cpuUs: 120_000,
    cut: null,
    connections: [capturedConnection],
    moreConnections: 0,
    serverNames: ['broker.mqttlab'],
    certificates: ['CN=broker'],
    topics: [],
    payloadBytes: 0,
    payloadSample: null,
    sizes: [{ towards: 'broker', bytes: 113, messages: 100, everyMs: 5 }],
    ...change,
  };
}

/** Radio state as reported by iw on a Pi. */
export const radioState: RadioState = {
  connected: true,
  channel: 36,
  frequencyMhz: 5180,
  widthMhz: 80,
  signalDbm: -52,
  transmitDbm: 31,
  transmitMbit: 433.3,
  receiveMbit: 390,
  retries: 207,
  failed: null,
};
