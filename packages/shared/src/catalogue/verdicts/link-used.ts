import { sharedRoles } from '../../domain/devices/device.ts';
import { isLoopbackAddress } from '../../domain/devices/network-address.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import type { RunEvidence, VerdictDefinition } from '../../domain/runs/verdict.ts';
import { nameOf, numberIn, resultsOf } from '../evidence/evidence.ts';

/** Tolerance for the counters of kernel and client, which are not read at the same instant. */
const minShare = 0.98;
/** Phases in which the interface counters are recorded. */
const watchedPhases: readonly string[] = ['warm-up', 'measure', 'drain'];

interface ClientFinding {
  /** null if unknown for this device. */
  used: boolean | null;
  words: string;
}

/** Returns the number of bytes on the MQTT connections in one direction; null if they were not counted. */
function wireBytes({ phases }: RoleResult, direction: 'bytesSent' | 'bytesReceived'): number | null {
  const counts = phases
    .filter(({ phase }) => watchedPhases.includes(phase))
    .map((record) => record[direction]);
  return counts.reduce<number | null>(
    (sum, bytes) => (sum === null || bytes === null ? null : sum + bytes),
    0,
  );
}

function wordOf(fact: RoleResult['environment'][string] | undefined): string | null {
  return typeof fact === 'string' && fact !== '' ? fact : null;
}

/** Compares the local address of the socket, the address seen by the broker, and the bytes of the interface. */
function judgeClient(client: RoleResult, seenByBroker: readonly string[]): ClientFinding {
  const { environment, negotiated } = client;
  const name = nameOf(client);
  const link = wordOf(environment['link.interface']);
  const address = wordOf(environment['link.address']);
  if (environment['link.interface'] === null) {
    return { used: false, words: `${name}: no interface for the link was up` };
  }
  if (link === null || address === null || negotiated === null) {
    return { used: null, words: `${name}: the interface of the link is unknown` };
  }
  const { localAddress, remoteAddress } = negotiated;
  // Runs recorded by earlier versions do not contain this address for clients in separate processes.
  if (localAddress === '') {
    return { used: null, words: `${name}: the address of its socket is unknown` };
  }
  if (link !== 'lo' && (localAddress === remoteAddress || isLoopbackAddress(remoteAddress))) {
    return {
      used: null,
      words: `${name}: the broker is on the same machine, so the kernel bypasses ${link}`,
    };
  }
  if (link !== 'lo' && localAddress !== address) {
    return { used: false, words: `${name}: connected from ${localAddress}, not from ${address} on ${link}` };
  }
  if (seenByBroker.length > 0 && !seenByBroker.includes(localAddress)) {
    const seen = seenByBroker.join(', ');
    return { used: false, words: `${name}: the broker saw ${seen}, not ${localAddress} on ${link}` };
  }
  return judgeCounters(client, { name, link, address: localAddress });
}

function judgeCounters(
  client: RoleResult,
  { name, link, address }: { name: string; link: string; address: string },
): ClientFinding {
  const moved = (counter: string) => numberIn(client.environment[`network.${link}.${counter}Bytes`]);
  const directions = [
    { verb: 'sent', wire: wireBytes(client, 'bytesSent'), carried: moved('tx') },
    { verb: 'received', wire: wireBytes(client, 'bytesReceived'), carried: moved('rx') },
  ];
  if (directions.some(({ wire, carried }) => wire === null || carried === null)) {
    return { used: null, words: `${name}: bytes on ${link} or on its connections were not counted` };
  }
  const short = directions.filter(({ wire, carried }) => (carried ?? 0) < minShare * (wire ?? 0));
  const words = directions.map(
    ({ verb, wire, carried }) => `${link} ${verb} ${carried} B for ${wire} B from MQTT connections`,
  );
  const missing = short.length > 0 ? ': traffic used another interface' : '';
  return { used: short.length === 0, words: `${name} from ${address}: ${words.join(', ')}${missing}` };
}

/** Checks that the traffic of every client used the interface of the chosen link. */
export const linkUsed: VerdictDefinition = {
  id: 'link-used',
  label: 'Chosen link used',
  fault: 'Traffic used another link',
  remedy: 'Check the routes and addresses of the link on its device page, then run again.',
  judge: (evidence: RunEvidence) => {
    const clients = sharedRoles.flatMap((role) => resultsOf(evidence, role));
    const [broker] = resultsOf(evidence, 'broker');
    const seen = wordOf(broker?.environment['link.seenFrom'])?.split(', ') ?? [];
    const findings = clients.map((client) => judgeClient(client, seen));
    const wrong = findings.filter(({ used }) => used === false);
    const judged = findings.filter(({ used }) => used !== null);
    if (wrong.length > 0) {
      return {
        status: 'failed',
        evidence: `${wrong.map(({ words }) => words).join('; ')}; requested: ${evidence.spec.link}`,
      };
    }
    const words = (judged.length > 0 ? judged : findings).map((finding) => finding.words).join('; ');
    return judged.length > 0
      ? { status: 'passed', evidence: words }
      : { status: 'not applicable', evidence: words || 'no client delivered a result' };
  },
};
