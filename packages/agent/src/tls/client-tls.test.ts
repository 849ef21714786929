import { groupNames } from '@mqttlab/shared/catalogue/factors/group';
import type { CertificateKind, Security, TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { Failure } from '@mqttlab/shared/kit/failure';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { BrokerOffer } from '../brokers/broker.ts';
import { brokerProbes } from '../brokers/list.ts';
import { MonotonicClock } from '../load/pacing/clock.ts';
import { Connection, ignoreLoss } from '../mqtt/connection.ts';
import { ChildRecords } from '../processes/child-records.ts';
import { makeTestChain, type TestChain } from '../testing/certificate-chain.ts';
import { testEntry } from '../testing/entry.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { makeClientTls } from './client-tls.ts';
import { findMismatch } from './negotiated.ts';
import { probeNodeTls } from './tls-library.ts';

const brokerKinds = ['mosquitto', 'embedded'] as const;
const offers = new Map<string, BrokerOffer>();
const chains = new Map<string, TestChain>();

beforeAll(async () => {
  const nodeTls = probeNodeTls();
  for (const kind of brokerKinds) {
    const offer = await brokerProbes[kind]({ entry: testEntry, nodeTls });
    if (offer !== null) offers.set(kind, offer);
  }
});
afterAll(() => chains.clear());

function chainOf(kind: CertificateKind, length: number): TestChain {
  const key = `${kind} ${length}`;
  const chain = chains.get(key) ?? makeTestChain(kind, length);
  chains.set(key, chain);
  return chain;
}

function offerOf(kind: string): BrokerOffer {
  const offer = offers.get(kind);
  if (offer === undefined) throw new Error(`${kind} is not on this machine`);
  return offer;
}

/** All parameters pinned; the defaults are the simplest ones. */
function makeTlsSpec(change: Partial<TrialSpec>): TrialSpec {
  const security: Security = change.security ?? 'TLS 1.3';
  const rsa = change.certificate?.startsWith('RSA') ?? false;
  return makeTestSpec({
    security,
    cipherSuite:
      security === 'TLS 1.3' ? 'TLS_AES_128_GCM_SHA256' : `ECDHE-${rsa ? 'RSA' : 'ECDSA'}-AES128-GCM-SHA256`,
    group: 'X25519',
    certificate: 'ECDSA P-256',
    chainLength: 1,
    clientCertificate: 'none',
    session: 'full',
    ...change,
  });
}

interface Ends {
  broker: TrialSpec;
  client?: TrialSpec;
  withoutCertificate?: boolean;
}

/** Parameters that a broker of one specification negotiates with a client of the same or another one. */
async function connectTo(kind: string, { broker: spec, client = spec, withoutCertificate = false }: Ends) {
  const chain = chainOf(spec.certificate!, spec.chainLength!);
  const folder = makeTemporaryFolder();
  const log: string[] = [];
  const broker = offerOf(kind).make({
    spec,
    tls: {
      ...chain,
      clientAuthority: spec.clientCertificate === 'mutual TLS' ? chain.clientAuthority : null,
    },
    address: '127.0.0.1',
    folder,
    records: new ChildRecords({ folder, procRoot: '/proc', onFailure: () => {} }),
    onLog: (_level, text) => log.push(text),
  });
  onTestFinished(() => broker.stop());
  const { address, port } = await broker.start();
  const endpoint = { address, port };
  const shows = client.clientCertificate === 'mutual TLS' && !withoutCertificate;
  const { authority, serverName } = chain;
  const tls = await makeClientTls({
    spec: client,
    broker: endpoint,
    authority,
    serverName,
    certificate: shows ? chain.client : null,
  });
  const connection = new Connection({
    spec: client,
    session: { clientId: 'c' },
    broker: endpoint,
    tls,
    clock: new MonotonicClock(),
    readBuffer: Buffer.alloc(1024),
    listener: ignoreLoss,
  });
  onTestFinished(() => connection.close());
  await connection.openTcp();
  await connection.openTls();
  const mismatch = findMismatch(client, connection.negotiatedTls);
  if (mismatch !== null) throw new Failure(mismatch);
  await connection.openMqtt();
  return { negotiated: connection.negotiated(), log };
}

/** The pairwise matrix of real runs has every certificate and group with both brokers. */
const certificates: readonly CertificateKind[] = ['ECDSA P-256', 'RSA 2048'];
const groups = groupNames.filter((name) => ['X25519', 'P-384', 'ffdhe2048', 'X25519MLKEM768'].includes(name));

describe.each(brokerKinds)('%s', (kind) => {
  test.each(certificates)(
    'presents %s, requires the same of clients, and resumes without either',
    async (certificate) => {
      const chainLength = certificates.indexOf(certificate) + 1;
      for (const security of ['TLS 1.2', 'TLS 1.3'] as const) {
        const full = makeTlsSpec({ security, certificate, chainLength, clientCertificate: 'mutual TLS' });
        const first = await connectTo(kind, { broker: full });
        expect(first.negotiated, security).toMatchObject({
          certificate,
          certificateChainLength: chainLength,
          clientCertificate: certificate,
          resumed: false,
        });
        const again = await connectTo(kind, { broker: { ...full, session: 'resumed' } });
        expect(again.negotiated, security).toMatchObject({
          certificate: null,
          certificateChainLength: null,
          clientCertificate: null,
          signature: null,
          resumed: true,
          cipherSuite: full.cipherSuite,
          group: security === 'TLS 1.3' ? 'X25519' : null,
        });
      }
    },
  );

  test.each([1, 2, 3])('sends a chain of %i and not the root', async (chainLength) => {
    const { negotiated } = await connectTo(kind, { broker: makeTlsSpec({ chainLength }) });
    expect(negotiated).toMatchObject({ certificateChainLength: chainLength, clientCertificate: null });
  });

  test.each([
    ['AES128-SHA', null],
    ['DHE-RSA-AES128-CCM8', 'ffdhe2048'],
  ])('negotiates %s with the group %s, in full and resumed', async (cipherSuite, group) => {
    const spec = makeTlsSpec({ security: 'TLS 1.2', certificate: 'RSA 2048', cipherSuite, group });
    expect((await connectTo(kind, { broker: spec })).negotiated).toMatchObject({ cipherSuite, group });
    const resumed = await connectTo(kind, { broker: { ...spec, session: 'resumed' } });
    expect(resumed.negotiated).toMatchObject({ cipherSuite, resumed: true });
  });

  test.each(groups)('negotiates the group %s, or does not announce it', async (group) => {
    const spec = makeTlsSpec({ group });
    if (offerOf(kind).capability.tls.groups.includes(group)) {
      expect((await connectTo(kind, { broker: spec })).negotiated.group).toBe(group);
    } else {
      await expect(connectTo(kind, { broker: spec })).rejects.toBeInstanceOf(Failure);
    }
  });

  test('uses the finite field it announces', async () => {
    const { choosesFiniteField } = offerOf(kind).capability;
    const spec = makeTlsSpec({
      security: 'TLS 1.2',
      cipherSuite: 'DHE-RSA-AES256-SHA256',
      group: 'ffdhe3072',
      certificate: choosesFiniteField ? 'RSA 2048' : 'RSA 3072',
    });
    const { negotiated } = await connectTo(kind, { broker: spec });
    expect(negotiated.group).toBe('ffdhe3072');
  });

  test.each(['TLS 1.2', 'TLS 1.3'] as const)(
    'refuses a client without a certificate under %s',
    async (security) => {
      const spec = makeTlsSpec({ security, clientCertificate: 'mutual TLS' });
      await expect(connectTo(kind, { broker: spec, withoutCertificate: true })).rejects.toBeInstanceOf(
        Failure,
      );
    },
  );

  const asked = makeTlsSpec({});
  const asked12 = makeTlsSpec({ security: 'TLS 1.2' });
  test.each<[string, TrialSpec, TrialSpec]>([
    ['suite', { ...asked, cipherSuite: 'TLS_AES_256_GCM_SHA384' }, asked],
    ['suite', { ...asked12, cipherSuite: 'ECDHE-ECDSA-AES256-GCM-SHA384' }, asked12],
    ['group', { ...asked, group: 'P-256' }, asked],
    ['version', asked12, asked],
    ['certificate', { ...asked, certificate: 'ECDSA P-384' }, asked],
    ['chain', { ...asked, chainLength: 2 }, asked],
    ['client certificate', asked, { ...asked, clientCertificate: 'mutual TLS' }],
  ])('with another %s than planned fails the run with a reason', async (_what, broker, client) => {
    const failure = await connectTo(kind, { broker, client }).then(
      () => null,
      (error) => error,
    );
    expect(failure).toBeInstanceOf(Failure);
    expect(['tls-handshake', 'negotiation-mismatch']).toContain(failure.code);
    expect(failure.remedy).not.toBe('');
  });
});

test('a full session instead of a resumed one is reported', async () => {
  const spec = makeTlsSpec({});
  const { negotiated } = await connectTo('mosquitto', { broker: spec });
  expect(findMismatch({ ...spec, session: 'resumed' }, negotiated)).toMatchObject({
    code: 'negotiation-mismatch',
    message: expect.stringContaining('a resumed one'),
  });
});

test('the post-quantum hybrid is negotiated with the embedded broker, in full and resumed', async () => {
  const spec = makeTlsSpec({ group: 'X25519MLKEM768', clientCertificate: 'mutual TLS' });
  for (const session of ['full', 'resumed'] as const) {
    const { negotiated } = await connectTo('embedded', { broker: { ...spec, session } });
    expect(negotiated).toMatchObject({ group: 'X25519MLKEM768', resumed: session === 'resumed' });
  }
});
