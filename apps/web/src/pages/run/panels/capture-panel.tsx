import { describeCapture, seenByEavesdropper } from '@mqttlab/shared/catalogue/evidence/capture-evidence';
import { nameOf } from '@mqttlab/shared/catalogue/evidence/evidence';
import { legSpecOf } from '@mqttlab/shared/domain/devices/device';
import type { SeenFact } from '@mqttlab/shared/domain/runs/capture';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { addressOf } from '@mqttlab/shared/messages/address';
import { IconEye, IconEyeOff, IconMinus } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Panel } from '../../../ui/panel.tsx';
import styles from './panels.module.css';

type CapturePanelProps = {
  run: RunDetail;
  /** Token of the share link, if any. */
  token?: string | undefined;
  readOnly: boolean;
};

/** Data that an eavesdropper could read in the captured packets of a run. */
export function CapturePanel({ run, token, readOnly }: CapturePanelProps): ReactElement | null {
  const captured = run.results.flatMap((result) =>
    result.capture ? [{ result, capture: result.capture }] : [],
  );
  if (captured.length === 0) return null;
  const place = { params: { id: run.id } };
  const captureUrl = (device: string) =>
    token === undefined
      ? addressOf('GET /runs/{id}/capture.pcap', { ...place, query: { device } })
      : addressOf('GET /shared/{token}/capture.pcap', { params: { token }, query: { device } });
  const keyLogUrl =
    token === undefined
      ? addressOf('GET /runs/{id}/keys.log', place)
      : addressOf('GET /shared/{token}/keys.log', { params: { token } });
  const keyLogs = run.files.filter(({ name }) => name === 'keys.log');
  return (
    <Panel title="What an eavesdropper saw" subtitle="from packets captured at the broker’s port">
      {captured.map(({ result, capture }) => (
        <div key={`${result.role} ${result.share.index}`}>
          {captured.length > 1 && <h3 className={styles.heading}>{nameOf(result)}</h3>}
          <ul className={styles.list}>
            {seenByEavesdropper(capture, legSpecOf(run.treatment.spec, result.role)).map((fact) => (
              <Seen key={fact.label} {...fact} />
            ))}
          </ul>
          <p className={styles.note}>{describeCapture(capture)}</p>
        </div>
      ))}
      {(token !== undefined || !readOnly) && (
        <p className={styles.note}>
          {run.files
            .filter(({ name }) => name === 'capture.pcap')
            .map(({ device }) => (
              <span key={device}>
                <a className="link" href={captureUrl(device)} download>
                  Save the capture of {device}
                </a>
                .{' '}
              </span>
            ))}
          {keyLogs.length > 0 && (
            <>
              <a className="link" href={keyLogUrl} download>
                Save the key log
              </a>
              . Keep it secret: it lets Wireshark decrypt these connections.
            </>
          )}
        </p>
      )}
    </Panel>
  );
}

function Seen({ label, seen, exposed }: SeenFact): ReactElement {
  const Mark = exposed === null ? IconMinus : exposed ? IconEye : IconEyeOff;
  const words = exposed === null ? 'nothing to see' : exposed ? 'seen' : 'hidden';
  return (
    <li data-tone={exposed === false ? 'ok' : undefined}>
      <Mark size={16} stroke={2} aria-label={words} />
      <b>{label}</b>
      <span>{seen}</span>
    </li>
  );
}
