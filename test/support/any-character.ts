import fc from 'fast-check';

/** Any code point but the halves of a pair; fast-check's own `binary` keeps a table of all of them, of 60 MB. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xff }), fc.integer({ min: 0, max: 0x10_ffff }))
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
