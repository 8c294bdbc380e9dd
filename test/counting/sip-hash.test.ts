import { expect, test } from 'vitest';
import { SipHash } from '../../server/counting/visitor/visitor.ts';

/** From vectors.h of the reference implementation: https://github.com/veorq/SipHash, its first four bytes of eight. */
test.each([
  [0, '310e0edd'],
  [1, 'fd67dc93'],
  [2, '5a4fa9d9'],
  [3, '2d7efbd7'],
  [4, 'b7877127'],
  [6, 'cee3fe58'],
  [7, '37d1018b'],
  [8, '6224939a'],
  [15, 'e545be49'],
  [16, 'db9bc257'],
  [63, '724506eb'],
])('the hash of %i characters is what the authors of SipHash say', (length, expected) => {
  const key = Uint8Array.from({ length: 16 }, (_, i) => i);
  const text = String.fromCharCode(...Array.from({ length }, (_, i) => i));
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(new SipHash(key).low32(text));
  expect(bytes.toString('hex')).toBe(expected);
});
