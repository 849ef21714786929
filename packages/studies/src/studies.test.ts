import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import { estimate } from '@mqttlab/shared/planning/estimate';
import { leftOutOf } from '@mqttlab/shared/planning/left-out';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeStudyDraft, studyOriginOf, studyScales } from '@mqttlab/shared/planning/study';
import { makeCapabilities, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { findStudy, studies } from './studies.ts';

const testbed = makeTestbed();
const view = makeTestbedView(testbed);
const minute = 60_000;

const every = studies.flatMap((study) =>
  study.parts.flatMap((part) => studyScales.map((scale) => ({ study, part, scale }))),
);
const runnable = every.filter(({ part }) => part.plan !== null);

function choose(id: string, partId: string, scale: (typeof studyScales)[number] = 'smoke') {
  const study = findStudy(id);
  const part = study?.parts.find((one) => one.id === partId);
  if (!study || !part) throw new Error(`there is no part ${partId} of ${id}`);
  return { study, part, scale };
}

function planOf(choice: (typeof every)[number], on = testbed) {
  const draft = makeStudyDraft(choice, makeTestbedView(on));
  const parsed = parsePlan(draft, on);
  if (!parsed.ok) throw new Error(parsed.issues.map(({ field, reason }) => `${field} ${reason}`).join('; '));
  return parsed.plan;
}

describe('studies', () => {
  it('are the five studies, each with a part that runs', () => {
    expect(studies.map(({ id }) => id).sort()).toEqual([
      'cipher-suites',
      'hecs4mqtt',
      'rpi-broker',
      'stability-aware',
      'v2x-tls',
    ]);
    for (const { id, parts } of studies)
      expect(
        parts.some(({ plan }) => plan !== null),
        id,
      ).toBe(true);
  });

  it.each(
    runnable.map((choice) => [`${choice.study.id} ${choice.part.id} ${choice.scale}`, choice] as const),
  )('%s is a plan on the usual testbed and says where it comes from', (_name, choice) => {
    const draft = experimentDraftSchema.parse(makeStudyDraft(choice, view));
    expect(findMetric(draft.response)).toBeDefined();
    expect(studyOriginOf(draft.tags)).toEqual({
      studyId: choice.study.id,
      partId: choice.part.id,
      scale: choice.scale,
    });
    expect(planOf(choice).treatments.length).toBeGreaterThan(1);
  });

  it.each(studies.map((study) => [study.id, study] as const))(
    'all parts of %s take less than 2 min at smoke and 20 min at bench scale',
    (_id, study) => {
      const takes = (scale: (typeof studyScales)[number]) =>
        runnable
          .filter((choice) => choice.study === study && choice.scale === scale)
          .reduce((sum, choice) => sum + estimate(planOf(choice), null).durationMs, 0);
      expect(takes('smoke')).toBeLessThan(2 * minute);
      expect(takes('bench')).toBeLessThan(20 * minute);
      expect(takes('full')).toBeGreaterThan(takes('bench'));
    },
  );

  it('enumerates every suite that both ends support, with reasons for missing ones', () => {
    const choice = choose('cipher-suites', 'a', 'bench');
    const suites = planOf(choice).treatments.map(({ levels }) => levels.cipherSuite);
    expect([...new Set(suites)].sort()).toEqual([
      'AES256-GCM-SHA384',
      'ECDHE-ECDSA-AES256-GCM-SHA384',
      'ECDHE-RSA-AES256-GCM-SHA384',
    ]);
    const missing = leftOutOf(choice, view).find(({ what }) => what.includes('DHE-RSA-CHACHA20-POLY1305'));
    expect(missing).toMatchObject({ reason: "the broker's OpenSSL 3.0.20 does not offer it" });
    expect(missing?.remedy).not.toBe('');
  });

  it('reports missing testbed features before the start, by level and requirement', () => {
    const words = leftOutOf(choose('v2x-tls', 'a'), view).map(({ what }) => what);
    expect(words).toEqual([
      'Ethernet between the devices',
      'WiFi between the devices',
      'Energy from a meter',
    ]);
    const old = makeTestbed();
    old.devices = old.devices.map((device) => ({
      ...device,
      capabilities: makeCapabilities(device.role, { payloadCiphers: ['aes-256-gcm'] }),
    }));
    const choice = choose('hecs4mqtt', 'a');
    const left = leftOutOf(choice, makeTestbedView(old)).filter(({ what }) => what.startsWith('Payload'));
    expect(left).toHaveLength(5);
    expect(left[0]).toMatchObject({ reason: 'the agent on bench does not support it' });
    expect(new Set(planOf(choice, old).treatments.map(({ levels }) => levels.payloadCipher))).toEqual(
      new Set(['aes-256-gcm']),
    );
  });

  it('shows unsupported parts as gaps with the reason, without a draft', () => {
    const { study, part, scale } = choose('rpi-broker', 'c');
    const gap = { what: 'Loss', reason: 'there is no such factor' };
    const choice = { study, part: { ...part, plan: null, gaps: [gap] }, scale };
    expect(makeStudyDraft(choice, view)).toBeNull();
    expect(leftOutOf(choice, view)).toMatchObject([gap]);
  });

  it('compares MQTT and CoAP under loss with the same schedule, payload and window', () => {
    const { treatments, excluded } = planOf(choose('rpi-broker', 'c', 'full'));
    expect(excluded).toEqual([]);
    expect(treatments).toHaveLength(18);
    expect(new Set(treatments.map(({ spec }) => spec.applicationProtocol)).size).toBe(3);
    const common = treatments.map(({ spec: { readingsPerSecond, readingBytes, window, messages } }) => [
      readingsPerSecond,
      readingBytes,
      window,
      messages,
    ]);
    expect(new Set(common.map(String))).toEqual(new Set(['20,1000,1000,1000']));
  });

  it('attacks only sessions of the Mosquitto that it starts, published and hardened', () => {
    for (const part of ['d', 'e']) {
      const { treatments } = planOf(choose('rpi-broker', part));
      expect(treatments.map(({ spec }) => spec.brokerHardening)).toEqual(['as published', 'hardened']);
      expect(new Set(treatments.map(({ spec }) => spec.broker))).toEqual(new Set(['mosquitto']));
    }
  });

  it('uses the links of a testbed with separate devices', () => {
    const apart = makeTestbed({
      links: [
        { name: 'cable', interfaces: { 'local-broker': 'eth0' } },
        { name: 'radio', interfaces: { 'local-broker': 'wlan0' } },
      ],
    });
    apart.devices = apart.devices.map((device) => ({
      ...device,
      capabilities: makeCapabilities(device.role, {
        interfaces: [
          { name: 'eth0', kind: 'ethernet', address: '192.0.2.1', up: true },
          { name: 'wlan0', kind: 'wifi', address: '192.0.2.2', up: true },
        ],
      }),
    }));
    const choice = choose('v2x-tls', 'a');
    expect(planOf(choice, apart).treatments.map(({ levels }) => levels.link)).toContain('radio');
    expect(leftOutOf(choice, makeTestbedView(apart)).map(({ what }) => what)).toEqual([
      'Energy from a meter',
    ]);
  });

  it('omits combinations excluded by a draft, with the reason, and recognises the named factors', () => {
    const draft = makeStudyDraft(choose('stability-aware', 'a'), view);
    if (!draft) throw new Error('there is no draft');
    const leaveOut = [{ security: ['TLS 1.2', 'TLS 1.3'], payloadCipher: ['ecdh-p256-aes-128-gcm'] }];
    const parsed = parsePlan({ ...draft, leaveOut }, testbed);
    if (!parsed.ok) throw new Error('it is no plan');
    const both = ({ levels }: { levels: Record<string, unknown> }) =>
      levels.security !== 'plain' && levels.payloadCipher === 'ecdh-p256-aes-128-gcm';
    expect(parsed.plan.treatments.filter(both)).toEqual([]);
    const reasons = parsed.plan.excluded.filter(both).flatMap((one) => one.reasons);
    expect(reasons.map(({ reason }) => reason)).toContain('the plan excludes this combination');
    const wrong = parsePlan({ ...draft, leaveOut: [{ colour: ['red'] }] }, testbed);
    expect(wrong).toMatchObject({ ok: false, issues: [{ field: 'leaveOut[0].colour' }] });
  });

  it('reports missing roles first', () => {
    const two = makeTestbed();
    two.devices = two.devices.filter(({ role }) => role !== 'subscriber');
    const [first] = leftOutOf(choose('v2x-tls', 'a'), makeTestbedView(two));
    expect(first?.what).toBe('Everything: no subscriber');
    expect(first?.remedy).not.toBe('');
  });

  it('determines the kind of a virtual interface from the link name', () => {
    const lab = makeTestbed({
      links: [
        { name: 'ethernet', interfaces: { 'local-broker': 'veth0' } },
        { name: 'wifi', interfaces: { 'local-broker': 'veth1' } },
        { name: 'third', interfaces: { 'local-broker': 'veth2' } },
      ],
    });
    lab.devices = lab.devices.map((device) => ({
      ...device,
      capabilities: makeCapabilities(device.role, {
        interfaces: [0, 1, 2].map((index) => ({
          name: `veth${index}`,
          kind: 'virtual',
          address: `192.0.2.${index + 1}`,
          up: true,
        })),
      }),
    }));
    const links = planOf(choose('v2x-tls', 'a'), lab).treatments.map(({ levels }) => levels.link);
    expect([...new Set(links)]).toEqual(['ethernet', 'wifi']);
  });

  it('accepts only complete and known tags as the origin of an experiment', () => {
    expect(studyOriginOf(['study:rpi-broker'])).toBeNull();
    const tags = ['study:rpi-broker', 'part:b', 'scale:smoke'];
    expect(studyOriginOf(tags)).toMatchObject({ studyId: 'rpi-broker', partId: 'b' });
    expect(studyOriginOf(['study:rpi-broker', 'part:b', 'scale:huge'])).toBeNull();
  });
});
