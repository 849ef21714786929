import { isCoap } from '../../domain/plans/trial-spec.ts';
import type { VerdictDefinition } from '../../domain/runs/verdict.ts';
import { judgeSchedule, scheduleRemedy } from './kept-schedule.ts';
import { bytesPerMessage } from './matters.ts';

/**
 * A late generator sends several messages in one write, and one write becomes one TLS record (RFC 8446
 * section 5.1). The messages then share the record's header and tag (22 bytes in TLS 1.3), so that bytes per
 * message depend on lateness. Without TLS, bytes per message do not depend on the writes. DTLS sends each
 * datagram in a separate record.
 */
export const separateRecords: VerdictDefinition = {
  id: 'separate-records',
  label: 'Messages in separate TLS records',
  fault: 'TLS records may be shared',
  remedy: scheduleRemedy,
  matters: bytesPerMessage,
  judge: (evidence) => {
    const { spec } = evidence;
    if (spec.security === 'plain' || isCoap(spec)) {
      return { status: 'not applicable', evidence: 'the messages are not in TLS records' };
    }
    const schedule = judgeSchedule(evidence);
    if (schedule.status !== 'failed') return schedule;
    return { ...schedule, evidence: `late messages may have been written together; ${schedule.evidence}` };
  },
};
