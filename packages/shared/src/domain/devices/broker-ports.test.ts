import { expect, it } from 'vitest';
import { brokerPortsSchema, describeBrokerPorts, listBrokerPorts } from './broker-ports.ts';

it('lists every port once, from any place of the range on', () => {
  const ports = { first: 18_830, last: 18_833 };
  expect(listBrokerPorts(ports, 0)).toEqual([18_830, 18_831, 18_832, 18_833]);
  expect(listBrokerPorts(ports, 0.6)).toEqual([18_832, 18_833, 18_830, 18_831]);
  expect(listBrokerPorts(ports, 1)).toEqual([18_833, 18_830, 18_831, 18_832]);
  expect(listBrokerPorts({ first: 1883, last: 1883 }, 0.9)).toEqual([1883]);
});

it('names a range and a single port', () => {
  expect(describeBrokerPorts({ first: 18_830, last: 18_833 })).toBe('18830 to 18833');
  expect(describeBrokerPorts({ first: 1883, last: 1883 })).toBe('1883');
});

it.each([
  [{ first: 1023, last: 2000 }, ['first']],
  [{ first: 2000, last: 65_536 }, ['last']],
  [{ first: 2001, last: 2000 }, ['last']],
])('refuses %j at its field', (ports, path) => {
  expect(brokerPortsSchema.safeParse(ports).error?.issues).toMatchObject([{ path }]);
});
