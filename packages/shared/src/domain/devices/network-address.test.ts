import { expect, it } from 'vitest';
import { isLoopbackAddress } from './network-address.ts';

it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])('%s is this machine for itself', (address) => {
  expect(isLoopbackAddress(address)).toBe(true);
});

it.each(['128.0.0.1', '192.168.1.5', '::', '::2', '127.0.0', 'localhost', ''])('%s is not', (address) => {
  expect(isLoopbackAddress(address)).toBe(false);
});
