import { zstdDecompressSync } from 'node:zlib';

/** Frames in one call, as each costs more than what it decompresses. */
export function decompressAll(frames: readonly Uint8Array[]): Uint8Array[] {
  if (frames.length === 0) return [];
  const all = zstdDecompressSync(Buffer.concat(frames), { chunkSize: 1024 * 1024 });
  let end = 0;
  return frames.map((frame) => {
    const from = end;
    end += sizeOf(frame);
    return all.subarray(from, end);
  });
}

/** Bytes of what is compressed: the frame says it, as it was written at once (RFC 8878, 3.1.1.1). */
function sizeOf(frame: Uint8Array): number {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  const descriptor = bytes.readUInt8(4);
  const isSingleSegment = (descriptor & 32) !== 0;
  const at = isSingleSegment ? 5 : 6;
  switch (descriptor >>> 6) {
    case 1:
      return bytes.readUInt16LE(at) + 256;
    case 2:
      return bytes.readUInt32LE(at);
    case 3:
      return Number(bytes.readBigUInt64LE(at));
    default:
      return isSingleSegment ? bytes.readUInt8(at) : zstdDecompressSync(frame).length;
  }
}
