/** A visitor, a moment with the kind, and a path. */
const bytesEach = 16;

/** Views of a day as bytes: all visitors, then all moments (moment * 4 + kind), then all paths. Lowest byte first. */
export interface PackedViews {
  visitors: BigInt64Array;
  moments: Uint32Array;
  paths: Uint32Array;
}

export function makeViews(count: number): PackedViews {
  return viewsIn(new ArrayBuffer(count * bytesEach));
}

export function unpackViews({ buffer, byteOffset, byteLength }: Uint8Array): PackedViews {
  return viewsIn(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
}

export function bytesOfViews({ visitors }: PackedViews): Uint8Array {
  return new Uint8Array(visitors.buffer);
}

function viewsIn(bytes: ArrayBuffer): PackedViews {
  const count = bytes.byteLength / bytesEach;
  return {
    visitors: new BigInt64Array(bytes, 0, count),
    moments: new Uint32Array(bytes, count * 8, count),
    paths: new Uint32Array(bytes, count * 12, count),
  };
}
