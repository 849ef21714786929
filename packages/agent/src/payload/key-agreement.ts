/** How two ends derive one key from their key pairs. One file each, one line each in payload-key.ts. */
export interface KeyAgreement {
  /**
   * `bytes` of key material, the same at both ends for the same `purpose`. Keys in PEM (PKCS #8 and
   * SubjectPublicKeyInfo). Throws KeyAgreementError.
   */
  agree(keys: { ownPrivateKey: string; peerPublicKey: string }, purpose: KeyPurpose): Uint8Array;
}

interface KeyPurpose {
  /** Id of the cipher: keys of two ciphers are never the same. */
  cipherId: string;
  bytes: number;
}
