/** Of code units, ordered, both ends included. */
export type Ranges = readonly (readonly [number, number])[];

export interface SetNode {
  readonly kind: 'set';
  readonly ranges: Ranges;
  /** Where it is the only one. */
  readonly letter: number | undefined;
  readonly id: number;
}

export type AssertionNode =
  | { readonly kind: 'begin' | 'end' | 'edge'; readonly negative: boolean; readonly id: number }
  | { readonly kind: 'look'; readonly negative: boolean; readonly body: Node; readonly id: number };

export interface LoopNode {
  readonly kind: 'loop';
  readonly body: Node;
  readonly min: 0 | 1;
  /** Loops in it. */
  readonly inner: readonly LoopNode[];
  isNested: boolean;
  /** Where it repeats one of several texts of a fixed length. */
  readonly flat: FlatLoop | undefined;
  /** What a pass through it spans, in words of 30 positions. */
  readonly words: number;
}

/** The letters of all texts, one after the other, each text from its end. */
export interface FlatLoop {
  readonly sets: readonly SetNode[];
  /** Of those that begin a text, and those that end one. */
  readonly firsts: readonly number[];
  readonly lasts: readonly number[];
}

export interface RunNode {
  readonly kind: 'run';
  readonly assertions: readonly AssertionNode[];
  readonly set: SetNode;
  readonly min: 0 | 1;
  readonly id: number;
}

/** Of a regular expression, as far as it can be matched without backtracking. */
export type Node =
  | SetNode
  | AssertionNode
  | RunNode
  | LoopNode
  | { readonly kind: 'sequence' | 'choice'; readonly nodes: readonly Node[] };

const maxNodes = 20_000;
const last = 0xffff;

/** By ECMA-262, without the flags u, v, i and s. */
const escapedSets: Readonly<Record<string, Ranges>> = {
  d: [[48, 57]],
  w: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  s: [
    [9, 13],
    [32, 32],
    [160, 160],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ],
};
const escapedLetters: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, '0': 0 };
const lineEnds: Ranges = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];

/** @throws Error where it takes backtracking */
export function parseRegExp({ source }: RegExp): Node {
  return new Parser(source).parse();
}

/** The same number for the same text: what is known of it is kept under it. */
function numberOf(source: string): number {
  const known = numbers.get(source);
  if (known !== undefined) return known;
  if (numbers.size >= maxNodes) numbers.clear();
  numbers.set(source, ++highest);
  return highest;
}

const numbers = new Map<string, number>();
let highest = 0;

/** Sets by how they are written, as a pattern has the same ones again and again. */
const sets = new Map<string, SetNode>();
/** Groups and classes of a pattern that are not parsed again where they come again. */
const maxShared = 8;

class Parser {
  readonly #source: string;
  #at = 0;
  #nodes = 0;
  /** By their text, and how many nodes each took. */
  readonly #shared = new Map<string, { node: Node; nodes: number }>();

  constructor(source: string) {
    this.#source = source;
  }

  parse(): Node {
    return this.#choice();
  }

  #choice(): Node {
    const nodes = [this.#sequence()];
    while (this.#takes('|')) nodes.push(this.#sequence());
    return nodes.length === 1 ? (nodes[0] as Node) : { kind: 'choice', nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at))) {
      const node = this.#repeated();
      if (node.kind === 'sequence') nodes.push(...node.nodes);
      else nodes.push(node);
    }
    return nodes.length === 1 ? (nodes[0] as Node) : { kind: 'sequence', nodes };
  }

  #repeated(): Node {
    const from = this.#at;
    const node = this.#atom();
    if (!'*+?{'.includes(this.#source.charAt(this.#at) || ' ')) return node;
    const end = this.#at;
    const quantifier = this.#take(/(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y);
    if (!quantifier) return node;
    const id = numberOf(this.#source.slice(from, end));
    const to = this.#at;
    const [text, least = '', comma, most] = quantifier;
    const again = () => {
      this.#at = from;
      const copy = this.#atom();
      this.#at = to;
      return copy;
    };
    if (text.startsWith('?')) return { kind: 'choice', nodes: [node, { kind: 'sequence', nodes: [] }] };
    if (text.startsWith('*') || text.startsWith('+')) {
      return repeat(node, id, text.startsWith('*') ? 0 : 1);
    }
    const nodes: Node[] = Array.from({ length: this.#limited(Number(least)) }, again);
    if (comma && most === '') nodes.push(repeat(again(), id, 0));
    else if (comma) {
      for (let i = Number(least); i < this.#limited(Number(most)); i++) {
        nodes.push({ kind: 'choice', nodes: [again(), { kind: 'sequence', nodes: [] }] });
      }
    }
    return { kind: 'sequence', nodes };
  }

  #atom(): Node {
    this.#limited(++this.#nodes);
    const from = this.#at;
    const plain = this.#source.charAt(from);
    if (!'\\^$.[('.includes(plain)) {
      this.#at++;
      return setOf(letter(plain.charCodeAt(0)), plain);
    }
    const shared = plain === '(' || plain === '[' ? this.#takeShared() : undefined;
    if (shared) return shared;
    if (this.#take(/\(\?<?[=!]/y)) return this.#look(from);
    if (this.#take(/\((?:\?:|\?<\w+>)?(?!\?)/y)) {
      const inner = this.#choice();
      this.#at++;
      return inner;
    }
    if (this.#takes('(')) throw new Error('A group of this kind takes backtracking.');
    if (this.#takes('^')) return { kind: 'begin', negative: false, id: numberOf('^') };
    if (this.#takes('$')) return { kind: 'end', negative: false, id: numberOf('$') };
    if (this.#takes('.')) return setOf(complement(lineEnds), '.');
    if (this.#takes('[')) return this.#class(from);
    const [edge] = this.#take(/\\[bB]/y) ?? [];
    if (edge) return { kind: 'edge', negative: edge === '\\B', id: numberOf(edge) };
    const ranges = this.#letters();
    return setOf(ranges, this.#source.slice(from, this.#at));
  }

  #takeShared(): Node | undefined {
    for (const [text, { node, nodes }] of this.#shared) {
      if (!this.#takes(text)) continue;
      this.#nodes += nodes;
      return node;
    }
    return undefined;
  }

  #share(from: number, nodesBefore: number, node: Node): Node {
    if (this.#shared.size < maxShared) {
      const text = this.#source.slice(from, this.#at);
      this.#shared.set(text, { node, nodes: this.#nodes - nodesBefore });
    }
    return node;
  }

  #look(from: number): Node {
    const before = this.#nodes;
    const negative = this.#source.charAt(this.#at - 1) === '!';
    if (this.#source.charAt(this.#at - 2) === '<') throw new Error('Looking behind takes backtracking.');
    const body = this.#choice();
    this.#at++;
    const id = numberOf(this.#source.slice(from, this.#at));
    return this.#share(from, before, { kind: 'look', negative, body, id });
  }

  #class(from: number): Node {
    const negative = this.#takes('^');
    const ranges: (readonly [number, number])[] = [];
    while (!this.#takes(']')) {
      const set = this.#letters(true);
      const after = this.#at;
      const end = this.#takes('-') && this.#source.charAt(this.#at) !== ']' ? this.#letters(true) : undefined;
      const [first] = set;
      const [other] = end ?? [];
      if (first && other && isLetter(set) && isLetter(end ?? [])) ranges.push([first[0], other[0]]);
      else if (end) ranges.push(...set, [45, 45], ...end);
      else {
        this.#at = after;
        ranges.push(...set);
      }
    }
    const merged = merge(ranges);
    const set = setOf(negative ? complement(merged) : merged, this.#source.slice(from, this.#at));
    return this.#share(from, this.#nodes, set);
  }

  /** What one letter or escape stands for. */
  #letters(inClass = false): Ranges {
    const [plain] = this.#take(/[^\\]/y) ?? [];
    if (plain !== undefined) return letter(plain.charCodeAt(0));
    const [, hex, wide, control] =
      this.#take(/\\x([\da-f]{2})/iy) ??
      this.#take(/\\()u([\da-f]{4})/iy) ??
      this.#take(/\\()()c([a-z])/iy) ??
      [];
    if (hex || wide) return letter(Number.parseInt(hex || wide || '', 16));
    if (control) return letter(control.charCodeAt(0) % 32);
    this.#at += 2;
    const name = this.#source.charAt(this.#at - 1);
    if (/[1-9k]/.test(name)) throw new Error('A reference back takes backtracking.');
    if (inClass && name === 'b') return letter(8);
    const set = escapedSets[name.toLowerCase()];
    if (set && /[dwsDWS]/.test(name)) return name === name.toLowerCase() ? set : complement(set);
    return letter(escapedLetters[name] ?? name.charCodeAt(0));
  }

  #takes(text: string): boolean {
    const isThere = this.#source.startsWith(text, this.#at);
    if (isThere) this.#at += text.length;
    return isThere;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #limited(count: number): number {
    if (count > maxNodes || this.#nodes > maxNodes) throw new Error('It is too long.');
    return count;
  }
}

function setOf(ranges: Ranges, source: string): SetNode {
  const id = numberOf(source);
  const known = sets.get(source);
  if (known?.id === id) return known;
  const letter = isLetter(ranges) ? ranges[0]?.[0] : undefined;
  const set: SetNode = { kind: 'set', ranges, letter, id };
  if (sets.size >= maxNodes) sets.clear();
  // Whole classes may be long, and come again in their own pattern alone.
  if (source.length <= 8) sets.set(source, set);
  return set;
}

function repeat(body: Node, id: number, min: 0 | 1): Node {
  const nodes = body.kind === 'sequence' ? body.nodes : [body];
  const set = nodes.at(-1);
  const before = nodes.slice(0, -1);
  if (set?.kind === 'set' && before.every(isAssertion)) {
    return { kind: 'run', assertions: before, set, min, id };
  }
  const inner = loopsOf(body);
  for (const loop of inner) loop.isNested = true;
  const words = 1 + Math.ceil(longest(body) / 30);
  return { kind: 'loop', body, min, inner, isNested: false, flat: flatten(body), words };
}

function flatten(body: Node): FlatLoop | undefined {
  const texts = (body.kind === 'choice' ? body.nodes : [body]).map((node) =>
    node.kind === 'sequence' ? node.nodes.toReversed() : [node],
  );
  const isFlat = texts.every((nodes) => nodes.length > 0 && nodes.every(({ kind }) => kind === 'set'));
  if (!isFlat) return undefined;
  const sets = texts.flat() as SetNode[];
  const ends = texts.map((_, i) => texts.slice(0, i + 1).reduce((sum, { length }) => sum + length, 0));
  return { sets, firsts: [0, ...ends.slice(0, -1)], lasts: ends.map((end) => end - 1) };
}

const assertions: readonly Node['kind'][] = ['begin', 'end', 'edge', 'look'];

function isAssertion(node: Node): node is AssertionNode {
  return assertions.includes(node.kind);
}

function loopsOf(node: Node): LoopNode[] {
  if (node.kind === 'loop') return [node, ...node.inner];
  return node.kind === 'sequence' || node.kind === 'choice' ? node.nodes.flatMap(loopsOf) : [];
}

/** Of the texts that it matches. */
function longest(node: Node): number {
  switch (node.kind) {
    case 'set':
      return 1;
    case 'run':
    case 'loop':
      return Number.POSITIVE_INFINITY;
    case 'sequence':
      return node.nodes.reduce((sum, part) => sum + longest(part), 0);
    case 'choice':
      return node.nodes.reduce((most, part) => Math.max(most, longest(part)), 0);
    default:
      return 0;
  }
}

const letter = (code: number): Ranges => [[code, code]];

function isLetter(ranges: Ranges): boolean {
  return ranges.length === 1 && ranges[0]?.[0] === ranges[0]?.[1];
}

function merge(ranges: Ranges): Ranges {
  const merged: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const before = merged.at(-1);
    if (before && from <= before[1] + 1) before[1] = Math.max(before[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export function complement(ranges: Ranges): Ranges {
  const others: [number, number][] = [];
  let next = 0;
  for (const [from, to] of ranges) {
    if (from > next) others.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= last) others.push([next, last]);
  return others;
}
