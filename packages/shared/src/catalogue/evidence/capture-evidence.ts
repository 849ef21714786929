import { legSpecOf } from '../../domain/devices/device.ts';
import type { TrialSpec } from '../../domain/plans/trial-spec.ts';
import type { CapturedRow, RunCapture, SeenFact } from '../../domain/runs/capture.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import { formatCount, formatNumber } from '../../format/number.ts';
import { formatBytes } from '../../format/quantity.ts';
import { nameOf } from './evidence.ts';

/** What somebody on the way between client and broker saw, by a capture at the broker. Pure. */
export function seenByEavesdropper(capture: RunCapture, spec: TrialSpec): SeenFact[] {
  return spec.security === 'plain' ? seenInPlain(capture, spec) : seenUnderTls(capture, spec);
}

const contents = ['Topics', 'Payloads'] as const;

function seenInPlain(capture: RunCapture, spec: TrialSpec): SeenFact[] {
  const { topics, payloadBytes, payloadSample, level } = capture;
  if (topics.length === 0) {
    const why =
      spec.transport === 'websocket'
        ? 'in the clear, in frames of WebSocket that are not decoded here'
        : `none in what was captured (${level})`;
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

/** The stamp in front of each reading tells number and time: who can read it can read the reading. */
function stampsRead({ connections }: RunCapture): string {
  const told = connections.flatMap(({ messagesSent }) => messagesSent ?? []);
  if (told.length === 0) return '';
  const read = told.reduce((sum, messages) => sum + messages, 0);
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

/** Encryption hides neither how long messages are nor when they come. */
function seenAlways({ connections, moreConnections, sizes }: RunCapture): SeenFact[] {
  const sum = (key: 'bytesSent' | 'bytesReceived') =>
    connections.reduce((bytes, connection) => bytes + connection[key], 0);
  const common = (['broker', 'client'] as const).flatMap((towards) => {
    const size = sizes.find((one) => one.towards === towards);
    if (size === undefined) return [];
    const { messages, bytes, everyMs } = size;
    const every = everyMs === null ? '' : `, one every ${formatNumber(everyMs)} ms`;
    return [`${formatCount(messages)} of ${formatBytes(bytes)} ${ends[towards]}${every}`];
  });
  return [
    {
      label: 'Sizes and timing',
      seen: common.join('; ') || 'no messages could be told apart',
      exposed: common.length > 0 ? true : null,
    },
    {
      label: 'Connections',
      seen: `${formatCount(connections.length + moreConnections)}, ${formatBytes(sum('bytesSent'))} sent and ${formatBytes(sum('bytesReceived'))} received by clients`,
      exposed: true,
    },
  ];
}

/** How complete a capture is and what it cost, as a sentence. Pure. */
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
      ? 'Capturing took CPU time on the device of the broker.'
      : `Capturing took ${formatNumber(cpuUs / 1e6)} s of CPU time on the device of the broker.`;
  return [`${program}: ${formatCount(packets)} packets, ${formatBytes(fileBytes)}${lost}.`, cut ?? '', cost]
    .filter(Boolean)
    .join(' ');
}

/** Of one Run of a Treatment. */
export interface CapturedRun extends Pick<RoleResult, 'role' | 'device' | 'share'> {
  treatmentKey: string;
  capture: RunCapture;
}

/**
 * What was seen at each broker in the first of these Runs of every Treatment; bytes of payloads stay with the Run,
 * since links show these words to everybody. Pure.
 */
export function capturedRows(
  captured: readonly CapturedRun[],
  treatments: readonly { key: string; spec: TrialSpec }[],
): CapturedRow[] {
  return treatments.flatMap(({ key, spec }) => {
    const own = captured.filter(({ treatmentKey }) => treatmentKey === key);
    return [...Map.groupBy(own, nameOf)].flatMap(([role, [first]]) => {
      if (!first) return [];
      const capture = { ...first.capture, payloadSample: null };
      return [{ treatment: key, role, seen: seenByEavesdropper(capture, legSpecOf(spec, first.role)) }];
    });
  });
}
