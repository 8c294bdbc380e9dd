/** A visitor, a moment with the kind, and a path. */
const bytesEach = 16;

/**
 * Views of a day as bytes: all visitors, then all moments (moment * 4 + kind), then all paths. Lowest byte first. Where the
 * project has goals there are events among them: of the kind 0, and with the event in place of the path.
 */
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

/** Where views came from as bytes, in their order: all sources, then all countries. 0: none. */
export interface PackedOrigins {
  sources: Uint32Array;
  countries: Uint32Array;
}

export function makeOrigins(count: number): PackedOrigins {
  return originsIn(new ArrayBuffer(count * 8));
}

export function unpackOrigins({ buffer, byteOffset, byteLength }: Uint8Array): PackedOrigins {
  return originsIn(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
}

export function bytesOfOrigins({ sources }: PackedOrigins): Uint8Array {
  return new Uint8Array(sources.buffer);
}

function originsIn(bytes: ArrayBuffer): PackedOrigins {
  const count = bytes.byteLength / 8;
  return {
    sources: new Uint32Array(bytes, 0, count),
    countries: new Uint32Array(bytes, count * 4, count),
  };
}
