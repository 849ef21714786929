import { sharedRoles } from '../../domain/devices/device.ts';
import { isLoopbackAddress } from '../../domain/devices/network-address.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import type { RunEvidence, VerdictDefinition } from '../../domain/runs/verdict.ts';
import { nameOf, numberIn, resultsOf } from '../evidence/evidence.ts';

/** Counters of the kernel and ours are not read at quite the same instant. */
const minShare = 0.98;
/** Phases in which the interface is watched. */
const watchedPhases: readonly string[] = ['warm-up', 'measure', 'drain'];

interface ClientFinding {
  /** null: nothing can be said of this device. */
  used: boolean | null;
  words: string;
}

/** Bytes of the MQTT connections in one direction; null where nobody counts them. */
function wireBytes({ phases }: RoleResult, direction: 'bytesSent' | 'bytesReceived'): number | null {
  const own = phases.filter(({ phase }) => watchedPhases.includes(phase)).map((record) => record[direction]);
  return own.reduce<number | null>((sum, bytes) => (sum === null || bytes === null ? null : sum + bytes), 0);
}

function wordOf(fact: RoleResult['environment'][string] | undefined): string | null {
  return typeof fact === 'string' && fact !== '' ? fact : null;
}

/** What the socket was bound to, what the broker saw, and what the interface carried. */
function judgeClient(client: RoleResult, seenByBroker: readonly string[]): ClientFinding {
  const { environment, negotiated } = client;
  const name = nameOf(client);
  const link = wordOf(environment['link.interface']);
  const address = wordOf(environment['link.address']);
  if (environment['link.interface'] === null) {
    return { used: false, words: `${name}: no interface of the link was up` };
  }
  if (link === null || address === null || negotiated === null) {
    return { used: null, words: `${name}: no interface of the link is known` };
  }
  const { localAddress, remoteAddress } = negotiated;
  // Of a client that is another program, runs of before did not record it.
  if (localAddress === '') {
    return { used: null, words: `${name}: the address of its socket is not known` };
  }
  if (link !== 'lo' && (localAddress === remoteAddress || isLoopbackAddress(remoteAddress))) {
    return {
      used: null,
      words: `${name}: the broker is on the same machine, whose kernel leaves ${link} out`,
    };
  }
  if (link !== 'lo' && localAddress !== address) {
    return { used: false, words: `${name}: connected from ${localAddress}, not from ${address} of ${link}` };
  }
  if (seenByBroker.length > 0 && !seenByBroker.includes(localAddress)) {
    const seen = seenByBroker.join(', ');
    return { used: false, words: `${name}: the broker saw ${seen}, not ${localAddress} of ${link}` };
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
    return { used: null, words: `${name}: bytes of ${link} or of its connections were not counted` };
  }
  const short = directions.filter(({ wire, carried }) => (carried ?? 0) < minShare * (wire ?? 0));
  const words = directions.map(
    ({ verb, wire, carried }) => `${link} ${verb} ${carried} B for ${wire} B of MQTT connections`,
  );
  const missing = short.length > 0 ? ': traffic took another interface' : '';
  return { used: short.length === 0, words: `${name} from ${address}: ${words.join(', ')}${missing}` };
}

/** Whether the traffic of every client really went over the interface of the link that was asked for. */
export const linkUsed: VerdictDefinition = {
  id: 'link-used',
  label: 'Chosen link used',
  fault: 'Traffic took another link',
  remedy: 'Check the routes and addresses of the link on its device page, then run them again.',
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
        evidence: `${wrong.map(({ words }) => words).join('; ')}; asked ${evidence.spec.link}`,
      };
    }
    const words = (judged.length > 0 ? judged : findings).map((finding) => finding.words).join('; ');
    return judged.length > 0
      ? { status: 'passed', evidence: words }
      : { status: 'not applicable', evidence: words || 'no client delivered a result' };
  },
};
