import { describe, expect, it } from 'vitest';
import { openBesideTraffic, rehearseTraffic } from './rehearsal.ts';
import type { RoleLoad } from './role-load.ts';
import { makeRehearsal, rehearsedTls } from './testing/rehearsal-bench.ts';

describe.each([
  { name: 'plain', level: {} },
  { name: 'TLS', level: rehearsedTls },
  {
    name: 'payload cipher',
    level: { payloadCipher: 'aes-256-gcm', payloadEncoding: 'base64 in JSON' } as const,
  },
])('the rehearsal of traffic ($name)', ({ level }) => {
  it.each([0, 1, 2] as const)(
    'exchanges several thousand messages of QoS %i in both directions',
    async (qos) => {
      const loads: RoleLoad[] = [];
      for (const role of ['publisher', 'subscriber'] as const) {
        const mqttVersion = qos === 2 ? ('5.0' as const) : ('3.1.1' as const);
        const rehearsal = await makeRehearsal(role, { ...level, qos, mqttVersion, publishers: 40 });
        await rehearseTraffic(rehearsal.options);
        loads.push(...rehearsal.loads);
      }
      const [sent, received] = loads.map((load) => load.figures().counters);
      expect(sent?.sent).toBeGreaterThan(1_000);
      expect(sent?.acknowledged).toBe(qos === 0 ? 0 : sent?.sent);
      expect(received?.received).toBeGreaterThan(1_000);
      expect(received).toMatchObject({ duplicate: 0, reordered: 0, unauthentic: 0, malformed: 0 });
    },
  );
});

describe('next to a quiet load in the warm-up', () => {
  it.each(['publisher', 'subscriber'] as const)(
    'keeps a %s busy and ends before the measure phase',
    async (role) => {
      const level = { ...rehearsedTls, qos: 1, readingsPerSecond: 200, warmUpMs: 700 } as const;
      const { options, clock, loads } = await makeRehearsal(role, level);
      const beside = await openBesideTraffic(options);
      const measureAtUs = clock.nowUs() + level.warmUpMs * 1e3;
      await beside?.playUntilMeasured(measureAtUs);
      expect(clock.nowUs()).toBeLessThan(measureAtUs);
      const counters = loads[0]?.figures().counters;
      expect(role === 'publisher' ? counters?.acknowledged : counters?.received).toBeGreaterThan(100);
    },
  );
});
