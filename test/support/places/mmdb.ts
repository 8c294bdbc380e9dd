/** A value of a MaxMind DB file. */
export type MmdbValue = string | number | { [name: string]: MmdbValue } | MmdbValue[];

type Node = [Node | MmdbValue | undefined, Node | MmdbValue | undefined];

/** Control byte and size of a value: https://maxmind.github.io/MaxMind-DB/#data-field-format */
function head(type: number, size: number): Buffer {
  const [small, rest] = size < 29 ? [size, []] : [29, [size - 29]];
  return type < 8 ? Buffer.of((type << 5) | small, ...rest) : Buffer.of(small, type - 7, ...rest);
}

function encode(value: MmdbValue): Buffer {
  if (typeof value === 'number') return encodeNumber(value);
  if (typeof value === 'string')
    return Buffer.concat([head(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(11, value.length), ...value.map(encode)]);
  const fields = Object.entries(value);
  return Buffer.concat([
    head(7, fields.length),
    ...fields.flatMap(([name, of]) => [encode(name), encode(of)]),
  ]);
}

/** Of 32 bits without a sign; the zeros before it are left out. */
function encodeNumber(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  const own = bytes.subarray(Math.clz32(value) >> 3);
  return Buffer.concat([head(6, own.length), own]);
}

/** Bits of a network such as `2001:db8::/32` in words of 16 bits, IPv4 after 96 zeros. */
function bitsOf(network: string): number[] {
  const [address = '', length = ''] = network.split('/');
  const words = address.includes(':')
    ? address
        .split(':')
        .slice(0, 8)
        .map((word) => Number.parseInt(word || '0', 16))
    : [0, 0, 0, 0, 0, 0, ...pairs(address.split('.').map(Number))];
  const bits = words.flatMap((word) => Array.from({ length: 16 }, (_, i) => (word >> (15 - i)) & 1));
  return [...bits, ...Array(128).fill(0)].slice(0, Number(length) + (address.includes(':') ? 0 : 96));
}

function pairs([a = 0, b = 0, c = 0, d = 0]: number[]): number[] {
  return [a * 256 + b, c * 256 + d];
}

/** A database that knows these networks, none inside another. @param recordSize 24, 28 or 32 */
export function makeMmdb(
  networks: Readonly<Record<string, MmdbValue>>,
  recordSize: number,
  type = 'Test',
): Buffer {
  const root: Node = [undefined, undefined];
  const nodes: Node[] = [root];
  const data = new Map<MmdbValue, number>();
  let end = 0;
  const pieces: Buffer[] = [];
  for (const [network, value] of Object.entries(networks)) {
    const bits = bitsOf(network);
    let node = root;
    for (const bit of bits.slice(0, -1)) {
      if (node[bit] === undefined) {
        const below: Node = [undefined, undefined];
        node[bit] = below;
        nodes.push(below);
      }
      node = node[bit] as Node;
    }
    node[bits.at(-1) as number] = value;
    data.set(value, end);
    const piece = encode(value);
    pieces.push(piece);
    end += piece.length;
  }
  const numbers = new Map(nodes.map((node, number) => [node as unknown, number]));
  const recordOf = (side: Node[number]) => {
    if (side === undefined) return nodes.length;
    return numbers.get(side) ?? nodes.length + 16 + (data.get(side as MmdbValue) as number);
  };
  const tree = nodes.map(([left, right]) => packNode(recordOf(left), recordOf(right), recordSize));
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_780_000_000,
    database_type: type,
    description: {},
    ip_version: 6,
    languages: [],
    node_count: nodes.length,
    record_size: recordSize,
  });
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  return Buffer.concat([...tree, Buffer.alloc(16), ...pieces, marker, metadata]);
}

function packNode(left: number, right: number, recordSize: number): Buffer {
  const digits = recordSize / 4;
  const [a, b] = [left, right].map((record) => record.toString(16).padStart(digits, '0')) as [string, string];
  // With 28 bits the highest four of both share the byte in the middle.
  const hex = recordSize === 28 ? `${a.slice(1)}${a[0]}${b[0]}${b.slice(1)}` : a + b;
  return Buffer.from(hex, 'hex');
}
