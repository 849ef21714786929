/** Five words of 64 bits, each as its low and then its high half. */
export type AsconState = Int32Array;

export const asconStateWords = 10;

/** Table 5 of NIST SP 800-232: the last `rounds` of these. */
const constants = Int32Array.of(0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87, 0x78, 0x69, 0x5a, 0x4b);

/**
 * Ascon-p[rounds] of NIST SP 800-232 section 3, in place. JavaScript has no fast 64-bit integers, so every word is
 * two halves; all ten stay in local variables, which is what makes it quick.
 */
export function permuteAscon(state: AsconState, rounds: 8 | 12): void {
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
    // Section 3.2: the constant goes into the lowest byte of the third word.
    c ^= constants[round]!;
    // Section 3.3: the S-box on all 64 columns at once.
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
    // Section 3.4: each word XORed with two rotations to the right of itself: 19 28, 61 39, 1 6, 10 17, 7 41.
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
