import type { TreatmentIdentity } from '../../ui/treatment.ts';

/** Made-up figures that only fill the development page. */
export const plain: TreatmentIdentity = { index: 1, label: 'Plain', shortLabel: 'Plain' };
export const tls12: TreatmentIdentity = {
  index: 2,
  label: 'TLS 1.2 AES-128-GCM',
  shortLabel: 'AES-128',
  detail: 'TLS 1.2',
};
export const aes256: TreatmentIdentity = {
  index: 3,
  label: 'TLS 1.3 AES-256-GCM',
  shortLabel: 'AES-256',
  detail: 'TLS 1.3',
};
export const chacha: TreatmentIdentity = {
  index: 4,
  label: 'TLS 1.3 ChaCha20-Poly1305',
  shortLabel: 'ChaCha20',
  detail: 'TLS 1.3',
};
export const cbc: TreatmentIdentity = {
  index: 5,
  label: 'ECDH + AES-128-CBC',
  shortLabel: 'AES-CBC',
  detail: 'payload',
};
export const treatments = [plain, chacha, cbc, tls12, aes256];
