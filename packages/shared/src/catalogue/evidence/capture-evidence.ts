import { legSpecOf } from '../../domain/devices/device.ts';
import type { TrialSpec } from '../../domain/plans/trial-spec.ts';
import type { CapturedRow, RunCapture, SeenFact } from '../../domain/runs/capture.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import { formatCount, formatNumber } from '../../format/number.ts';
import { formatBytes } from '../../format/quantity.ts';
import { nameOf } from './evidence.ts';

/** Lists what an eavesdropper between client and broker can see, from a capture at the broker. Pure. */
export function seenByEavesdropper(capture: RunCapture, spec: TrialSpec): SeenFact[] {
  return spec.security === 'plain' ? seenInPlain(capture, spec) : seenUnderTls(capture, spec);
}

const contents = ['Topics', 'Payloads'] as const;

function seenInPlain(capture: RunCapture, spec: TrialSpec): SeenFact[] {
  const { topics, payloadBytes, payloadSample, level } = capture;
  if (topics.length === 0) {
    const why =
      spec.transport === 'websocket'
        ? 'unencrypted, in WebSocket frames, which are not decoded here'
        : `none in the captured part (${level})`;
    const exposed = spec.transport === 'websocket';
    return [...contents.map((label) => ({ label, seen: why, exposed })), ...seenAlways(capture)];
  }
  const isEncrypted = spec.payloadCipher !== null;
  const sample = payloadSample === null ? '' : `, beginning ${payloadSample.replace(/(..)(?=.)/g, '$1 ')}`;
  return [
    { label: 'Topics', seen: topics.join(', '), exposed: true },
    {
      label: 'Payloads',
      seen: `${formatBytes(payloadBytes)}${isEncrypted ? `, encrypted with ${spec.payloadCipher}` : ' in the clear'}${stampsRead(capture)}${sample}`,
      exposed: !isEncrypted,
    },
    ...seenAlways(capture),
  ];
}

/**
 * The stamp before each reading contains its number and time. If the stamp is readable, so is the reading.
 */
function stampsRead({ connections }: RunCapture): string {
  const counts = connections.flatMap(({ messagesSent }) => messagesSent ?? []);
  if (counts.length === 0) return '';
  const read = counts.reduce((sum, messages) => sum + messages, 0);
  return read === 0
    ? ', no stamp could be read'
    : `, the stamps of ${formatCount(read)} ${read === 1 ? 'message' : 'messages'} could be read`;
}

function seenUnderTls(capture: RunCapture, spec: TrialSpec): SeenFact[] {
  const { connections, serverNames, certificates } = capture;
  const hellos = connections.flatMap(({ version, suite }) =>
    suite === null ? [] : [`${version ?? 'TLS'}, ${suite}`],
  );
  const isHidden = spec.security === 'TLS 1.3';
  return [
    ...contents.map((label) => ({ label, seen: 'none: encrypted', exposed: false })),
    {
      label: 'Version and suite',
      seen: [...new Set(hellos)].join('; ') || 'no ServerHello was captured',
      exposed: hellos.length > 0 ? true : null,
    },
    {
      label: 'Server name',
      seen: serverNames.join(', ') || 'none was sent',
      exposed: serverNames.length > 0,
    },
    {
      label: 'Certificates',
      seen: certificates.join('; ') || (isHidden ? 'hidden: TLS 1.3 encrypts them' : 'none was captured'),
      exposed: certificates.length > 0 ? true : isHidden ? false : null,
    },
    ...seenAlways(capture),
  ];
}

const ends = { broker: 'to the broker', client: 'to clients' } as const;

/** Encryption hides neither the size nor the timing of messages. */
function seenAlways({ connections, moreConnections, sizes }: RunCapture): SeenFact[] {
  const sum = (key: 'bytesSent' | 'bytesReceived') =>
    connections.reduce((bytes, connection) => bytes + connection[key], 0);
  const common = (['broker', 'client'] as const).flatMap((towards) => {
    const size = sizes.find((entry) => entry.towards === towards);
    if (size === undefined) return [];
    const { messages, bytes, everyMs } = size;
    const every = everyMs === null ? '' : `, one every ${formatNumber(everyMs)} ms`;
    return [`${formatCount(messages)} of ${formatBytes(bytes)} ${ends[towards]}${every}`];
  });
  return [
    {
      label: 'Sizes and timing',
      seen: common.join('; ') || 'no messages could be distinguished',
      exposed: common.length > 0 ? true : null,
    },
    {
      label: 'Connections',
      seen: `${formatCount(connections.length + moreConnections)}, ${formatBytes(sum('bytesSent'))} sent and ${formatBytes(sum('bytesReceived'))} received by clients`,
      exposed: true,
    },
  ];
}

/** Describes the completeness and cost of a capture in sentences. Pure. */
export function describeCapture({
  program,
  packets,
  fileBytes,
  lostPackets,
  cpuUs,
  cut,
}: RunCapture): string {
  const lost = lostPackets === null ? '' : `, ${formatCount(lostPackets)} lost`;
  const cost =
    cpuUs === null
      ? 'Capturing used CPU time on the broker’s device.'
      : `Capturing used ${formatNumber(cpuUs / 1e6)} s of CPU time on the broker’s device.`;
  return [`${program}: ${formatCount(packets)} packets, ${formatBytes(fileBytes)}${lost}.`, cut ?? '', cost]
    .filter(Boolean)
    .join(' ');
}

/** Capture from one run of a treatment. */
export interface CapturedRun extends Pick<RoleResult, 'role' | 'device' | 'share'> {
  treatmentKey: string;
  capture: RunCapture;
}

/**
 * Returns what an eavesdropper sees at each broker, from the first run of every treatment. Omits payload
 * bytes, because share links show these rows. Pure.
 */
export function capturedRows(
  captured: readonly CapturedRun[],
  treatments: readonly { key: string; spec: TrialSpec }[],
): CapturedRow[] {
  return treatments.flatMap(({ key, spec }) => {
    const ofTreatment = captured.filter(({ treatmentKey }) => treatmentKey === key);
    return [...Map.groupBy(ofTreatment, nameOf)].flatMap(([role, [first]]) => {
      if (!first) return [];
      const capture = { ...first.capture, payloadSample: null };
      return [{ treatment: key, role, seen: seenByEavesdropper(capture, legSpecOf(spec, first.role)) }];
    });
  });
}
