/** AEAD suites of TLS 1.3 (RFC 8446 appendix B.4), strongest use first. */
export const tls13Suites = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_AES_128_GCM_SHA256',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_CCM_SHA256',
  'TLS_AES_128_CCM_8_SHA256',
] as const;

/**
 * AEAD suites of TLS 1.2 by OpenSSL name (openssl-ciphers(1)), with ephemeral or plain RSA key exchange.
 * Left out: PSK and SRP (no certificates), anonymous (no authentication), DSS (no such certificates here).
 */
export const tls12Suites = [
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES256-CCM',
  'ECDHE-ECDSA-AES128-CCM',
  'ECDHE-ECDSA-AES256-CCM8',
  'ECDHE-ECDSA-AES128-CCM8',
  'ECDHE-ECDSA-ARIA256-GCM-SHA384',
  'ECDHE-ECDSA-ARIA128-GCM-SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ARIA256-GCM-SHA384',
  'ECDHE-ARIA128-GCM-SHA256',
  'DHE-RSA-AES256-GCM-SHA384',
  'DHE-RSA-AES128-GCM-SHA256',
  'DHE-RSA-CHACHA20-POLY1305',
  'DHE-RSA-AES256-CCM',
  'DHE-RSA-AES128-CCM',
  'DHE-RSA-AES256-CCM8',
  'DHE-RSA-AES128-CCM8',
  'DHE-RSA-ARIA256-GCM-SHA384',
  'DHE-RSA-ARIA128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-GCM-SHA256',
  'AES256-CCM',
  'AES128-CCM',
  'AES256-CCM8',
  'AES128-CCM8',
  'ARIA256-GCM-SHA384',
  'ARIA128-GCM-SHA256',
] as const;

/** Key-exchange groups that mqttlab compares: the words of capabilities and specs, all known to OpenSSL. */
export const keyExchangeGroups = [
  'X25519',
  'P-256',
  'P-384',
  'P-521',
  'X448',
  'ffdhe2048',
  'ffdhe3072',
  'X25519MLKEM768',
] as const;
