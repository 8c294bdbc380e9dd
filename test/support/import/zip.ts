import { crc32, deflateRawSync } from 'node:zlib';

interface Packed {
  name: string;
  content: string;
  /** Otherwise as it is, as Plausible packs. */
  isDeflated?: boolean;
  /** What the archive says that it unpacks to; otherwise the truth. */
  claimedBytes?: number;
}

const uint = (bytes: 2 | 4, ...values: number[]) => {
  const buffer = Buffer.alloc(bytes * values.length);
  for (const [i, value] of values.entries()) buffer.writeUIntLE(value, i * bytes, bytes);
  return buffer;
};

/** An archive as APPNOTE.TXT describes it (4.3.7, 4.3.12, 4.3.16). */
export function zip(files: readonly Packed[]): Buffer {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const { name, content, isDeflated = false, claimedBytes } of files) {
    const plain = Buffer.from(content);
    const data = isDeflated ? deflateRawSync(plain) : plain;
    const sizes = uint(4, crc32(plain), data.length, claimedBytes ?? plain.length);
    const common = Buffer.concat([
      uint(2, 20, 0x800, isDeflated ? 8 : 0, 0, 0),
      sizes,
      uint(2, name.length, 0),
    ]);
    const local = Buffer.concat([uint(4, 0x04034b50), common, Buffer.from(name), data]);
    central.push(
      Buffer.concat([
        ...[uint(4, 0x02014b50), uint(2, 20), common, uint(2, 0, 0, 0), uint(4, 0, at)],
        Buffer.from(name),
      ]),
    );
    parts.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(central);
  const end = [uint(4, 0x06054b50), uint(2, 0, 0, files.length, files.length), uint(4, directory.length, at)];
  return Buffer.concat([...parts, directory, ...end, uint(2, 0)]);
}
