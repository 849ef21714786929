import { type Box, isSame, maxPacketBytes } from './payload-cipher.ts';

const longNonceBytes = 16;

/** Makes a box for Ascon-AEAD128, whose nonce has 16 bytes. A shorter nonce is padded with zeros. */
export function makeAsconAead128Box(key: Uint8Array): Box {
  const sponge = new AsconSponge(key);
  const longNonce = new Uint8Array(longNonceBytes);
  const tag = new Uint8Array(asconTagBytes);
  return {
    tagBytes: asconTagBytes,
    // SP 800-232 section 4.4 allows 2^54 bytes under one key.
    maxPlainBytes: maxPacketBytes,
    seal({ nonce, associated }, plain, out) {
      longNonce.set(nonce);
      sponge.start(longNonce, associated);
      sponge.encrypt(plain, out);
      sponge.finish(tag);
      out.set(tag, plain.length);
    },
    open({ nonce, associated }, sealed, out) {
      const bytes = sealed.length - asconTagBytes;
      const text = sealed.subarray(0, bytes);
      longNonce.set(nonce);
      sponge.start(longNonce, associated);
      sponge.decrypt(text, out);
      sponge.finish(tag);
      if (isSame(tag, sealed.subarray(bytes))) return true;
      out.fill(0, 0, bytes);
      return false;
    },
  };
}

const asconTagBytes = 16;
const rateBytes = 16;

/**
 * Ascon-AEAD128 (NIST SP 800-232 section 4.1), one message at a time: start, encrypt or decrypt, finish.
 * Words are little-endian, unlike in Ascon v1.2.
 */
class AsconSponge {
  readonly #key = new Int32Array(4);
  readonly #state = new Int32Array(asconStateWords);
  /** Buffer of the current block, as bytes and as words. */
  readonly #bytes = new Uint8Array(rateBytes);
  readonly #words = new DataView(this.#bytes.buffer);

  /** A key of 16 bytes. */
  constructor(key: Uint8Array) {
    this.#bytes.set(key);
    for (let i = 0; i < 4; i += 1) this.#key[i] = this.#words.getInt32(4 * i, true);
  }

  /** Starts a message with a nonce of 16 bytes. */
  start(nonce: Uint8Array, associated: Uint8Array): void {
    const state = this.#state;
    // Initial value 0x00001000808c0001, section 4.1.1.
    state[0] = 0x808c0001 | 0;
    state[1] = 0x00001000;
    state.set(this.#key, 2);
    this.#bytes.set(nonce);
    for (let i = 0; i < 4; i += 1) state[6 + i] = this.#words.getInt32(4 * i, true);
    permuteAscon(state, 12);
    this.#addKey(6);
    if (associated.length > 0) this.#absorb(associated);
    // Domain separation: the last bit of the state.
    state[9]! ^= 0x8000_0000;
  }

  /** Writes ciphertext of the same length to the beginning of `out`. */
  encrypt(plain: Uint8Array, out: Uint8Array): void {
    const whole = plain.length - (plain.length % rateBytes);
    const input = viewOf(plain);
    const output = viewOf(out);
    const state = this.#state;
    for (let at = 0; at < whole; at += rateBytes) {
      for (let i = 0; i < 4; i += 1) {
        state[i]! ^= input.getInt32(at + 4 * i, true);
        output.setInt32(at + 4 * i, state[i]!, true);
      }
      permuteAscon(state, 8);
    }
    this.#addLastBlock(plain.subarray(whole));
    for (let i = 0; i < 4; i += 1) this.#words.setInt32(4 * i, state[i]!, true);
    for (let i = whole; i < plain.length; i += 1) out[i] = this.#bytes[i - whole]!;
  }

  /**
   * Writes plaintext of the same length to the beginning of `out`; `finish` reports whether it is authentic.
   */
  decrypt(sealed: Uint8Array, out: Uint8Array): void {
    const whole = sealed.length - (sealed.length % rateBytes);
    const input = viewOf(sealed);
    const output = viewOf(out);
    const state = this.#state;
    for (let at = 0; at < whole; at += rateBytes) {
      for (let i = 0; i < 4; i += 1) {
        const word = input.getInt32(at + 4 * i, true);
        output.setInt32(at + 4 * i, state[i]! ^ word, true);
        state[i] = word;
      }
      permuteAscon(state, 8);
    }
    for (let i = 0; i < 4; i += 1) this.#words.setInt32(4 * i, state[i]!, true);
    for (let i = whole; i < sealed.length; i += 1) out[i] = this.#bytes[i - whole]! ^ sealed[i]!;
    // Adding the plaintext leaves the ciphertext in the state, as in encryption.
    this.#addLastBlock(out.subarray(whole, sealed.length));
  }

  /** Writes the 16 bytes of the tag. */
  finish(tag: Uint8Array): void {
    this.#addKey(4);
    permuteAscon(this.#state, 12);
    this.#addKey(6);
    for (let i = 0; i < 4; i += 1) this.#words.setInt32(4 * i, this.#state[6 + i]!, true);
    tag.set(this.#bytes);
  }

  #addKey(at: number): void {
    for (let i = 0; i < 4; i += 1) this.#state[at + i]! ^= this.#key[i]!;
  }

  #absorb(associated: Uint8Array): void {
    const whole = associated.length - (associated.length % rateBytes);
    for (let at = 0; at < whole; at += rateBytes) {
      this.#bytes.set(associated.subarray(at, at + rateBytes));
      this.#addBlock();
      permuteAscon(this.#state, 8);
    }
    this.#addLastBlock(associated.subarray(whole));
    permuteAscon(this.#state, 8);
  }

  /** Pads a block of fewer than 16 bytes with a one bit and zeros (section 2.1, Algorithm 2). */
  #addLastBlock(rest: Uint8Array): void {
    this.#bytes.fill(0);
    this.#bytes.set(rest);
    this.#bytes[rest.length] = 1;
    this.#addBlock();
  }

  #addBlock(): void {
    for (let i = 0; i < 4; i += 1) this.#state[i]! ^= this.#words.getInt32(4 * i, true);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Five words of 64 bits, each stored as its low half and then its high half. */
type AsconState = Int32Array;

const asconStateWords = 10;

/** Constants in table 5 of NIST SP 800-232; the last `rounds` of them are used. */
const constants = Int32Array.of(0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87, 0x78, 0x69, 0x5a, 0x4b);

/**
 * Applies Ascon-p[rounds] of NIST SP 800-232 section 3 in place. JavaScript has no fast 64-bit integers, so
 * every word consists of two halves. All ten halves are local variables, for speed.
 */
function permuteAscon(state: AsconState, rounds: 8 | 12): void {
  let a = state[0]!;
  let aHigh = state[1]!;
  let b = state[2]!;
  let bHigh = state[3]!;
  let c = state[4]!;
  let cHigh = state[5]!;
  let d = state[6]!;
  let dHigh = state[7]!;
  let e = state[8]!;
  let eHigh = state[9]!;
  for (let round = 12 - rounds; round < 12; round += 1) {
    // Section 3.2: the constant is added to the lowest byte of the third word.
    c ^= constants[round]!;
    // Section 3.3: the S-box is applied to all 64 columns at once.
    a ^= e;
    aHigh ^= eHigh;
    e ^= d;
    eHigh ^= dHigh;
    c ^= b;
    cHigh ^= bHigh;
    const sa = a ^ (~b & c);
    const saHigh = aHigh ^ (~bHigh & cHigh);
    const sb = b ^ (~c & d);
    const sbHigh = bHigh ^ (~cHigh & dHigh);
    const sc = c ^ (~d & e);
    const scHigh = cHigh ^ (~dHigh & eHigh);
    const sd = d ^ (~e & a);
    const sdHigh = dHigh ^ (~eHigh & aHigh);
    const se = e ^ (~a & b);
    const seHigh = eHigh ^ (~aHigh & bHigh);
    const ta = sa ^ se;
    const taHigh = saHigh ^ seHigh;
    const tb = sb ^ sa;
    const tbHigh = sbHigh ^ saHigh;
    const tc = ~sc;
    const tcHigh = ~scHigh;
    const td = sd ^ sc;
    const tdHigh = sdHigh ^ scHigh;
    // Section 3.4: each word is XORed with itself rotated right by two amounts: 19 28, 61 39, 1 6, 10 17, 7
    // 41.
    a = ta ^ ((ta >>> 19) | (taHigh << 13)) ^ ((ta >>> 28) | (taHigh << 4));
    aHigh = taHigh ^ ((taHigh >>> 19) | (ta << 13)) ^ ((taHigh >>> 28) | (ta << 4));
    b = tb ^ ((tbHigh >>> 29) | (tb << 3)) ^ ((tbHigh >>> 7) | (tb << 25));
    bHigh = tbHigh ^ ((tb >>> 29) | (tbHigh << 3)) ^ ((tb >>> 7) | (tbHigh << 25));
    c = tc ^ ((tc >>> 1) | (tcHigh << 31)) ^ ((tc >>> 6) | (tcHigh << 26));
    cHigh = tcHigh ^ ((tcHigh >>> 1) | (tc << 31)) ^ ((tcHigh >>> 6) | (tc << 26));
    d = td ^ ((td >>> 10) | (tdHigh << 22)) ^ ((td >>> 17) | (tdHigh << 15));
    dHigh = tdHigh ^ ((tdHigh >>> 10) | (td << 22)) ^ ((tdHigh >>> 17) | (td << 15));
    e = se ^ ((se >>> 7) | (seHigh << 25)) ^ ((seHigh >>> 9) | (se << 23));
    eHigh = seHigh ^ ((seHigh >>> 7) | (se << 25)) ^ ((se >>> 9) | (seHigh << 23));
  }
  state[0] = a;
  state[1] = aHigh;
  state[2] = b;
  state[3] = bHigh;
  state[4] = c;
  state[5] = cHigh;
  state[6] = d;
  state[7] = dHigh;
  state[8] = e;
  state[9] = eHigh;
}
