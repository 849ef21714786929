import { describe, expect, it } from 'vitest';
import type { Levels } from '../domain/factor.ts';
import { nameTreatments } from './name-treatments.ts';

const plain = { security: 'plain', cipherSuite: null };
const aes = { security: 'TLS 1.3', cipherSuite: 'TLS_AES_256_GCM_SHA384' };
const chacha = { security: 'TLS 1.3', cipherSuite: 'TLS_CHACHA20_POLY1305_SHA256' };
const ecdsa = { security: 'TLS 1.2', cipherSuite: 'ECDHE-ECDSA-AES256-GCM-SHA384' };
const rsa = { security: 'TLS 1.2', cipherSuite: 'ECDHE-RSA-AES256-GCM-SHA384' };
const labels = (all: readonly Levels[]) => nameTreatments(all).map(({ label }) => label);

describe('nameTreatments', () => {
  it('says what differs, and nothing that all share', () => {
    const payloads = [
      { ...plain, payloadCipher: 'none', qos: 0, mqttVersion: '5.0' },
      { ...chacha, payloadCipher: 'none', qos: 0, mqttVersion: '5.0' },
      { ...aes, payloadCipher: 'chacha20-poly1305', qos: 2, mqttVersion: '5.0' },
    ];
    expect(labels(payloads)).toEqual([
      'Plain · clear payload · QoS 0',
      'TLS 1.3 · ChaCha20-Poly1305 · clear payload · QoS 0',
      'TLS 1.3 · AES-256-GCM · ChaCha20 payload · QoS 2',
    ]);
    expect(nameTreatments(payloads)[2]).toMatchObject({
      colourLabel: 'TLS 1.3 · AES-256-GCM',
      rowLabel: 'ChaCha20 payload · QoS 2',
    });
    expect(labels([aes, chacha])).toEqual(['AES-256-GCM', 'ChaCha20-Poly1305']);
    expect(labels([aes])).toEqual(['All runs']);
  });

  it('names the key exchange of a suite only if it distinguishes two', () => {
    expect(labels([plain, ecdsa, aes])).toEqual(['Plain', 'TLS 1.2 · AES-256-GCM', 'TLS 1.3 · AES-256-GCM']);
    expect(labels([ecdsa, rsa])).toEqual(['AES-256-GCM ECDHE-ECDSA', 'AES-256-GCM ECDHE-RSA']);
  });

  it('gives a level the same colour regardless of the other levels', () => {
    const marks = (all: readonly Levels[]) => nameTreatments(all).map(({ mark }) => mark);
    expect(marks([plain, aes, chacha])).toEqual([1, 2, 3]);
    expect(marks([chacha, aes])).toEqual([3, 2]);
    expect(marks([{ qos: 2 }, { qos: 0 }])).toEqual([3, 1]);
  });

  it('does not give two levels one colour, and repeats no colour beyond eight', () => {
    const rates = (count: number) => Array.from({ length: count }, (_, i) => ({ rate: 8 * i + 3 }));
    expect(new Set(nameTreatments(rates(8)).map(({ mark }) => mark)).size).toBe(8);
    expect(nameTreatments(rates(16)).map(({ mark }) => mark)).toEqual([1, ...Array(15).fill(2)]);
  });
});
