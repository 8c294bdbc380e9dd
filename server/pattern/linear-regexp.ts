import {
  type AssertionNode,
  complement,
  type FlatLoop,
  type LoopNode,
  type Node,
  parseRegExp,
  type Ranges,
  type RunNode,
  type SetNode,
} from './regexp-syntax.ts';

/**
 * A set of positions in a text, counted from its end, a bit each. Words have 30 bits, as two of them can be added without
 * leaving small integers.
 */
type Bits = Int32Array;

const wordBits = 30;
const full = 2 ** wordBits - 1;

/**
 * A regular expression that never backtracks. It is matched from the end of the text to its beginning, for all positions
 * at once, so that the cost is the length of the pattern times the words that hold the positions. Repeated groups alone are
 * gone through position by position. Captures are not kept.
 */
export class LinearRegExp {
  /** Words that the last test went through. */
  steps = 0;
  /** Groups that are gone through position by position; infinite where each position can take long. */
  readonly repeats: number;
  readonly #native: RegExp | undefined;
  readonly #node: Node;
  readonly #prefix: string;
  readonly #suffix: string;

  /** @throws Error where it has what takes backtracking, such as a reference back */
  constructor(pattern: RegExp) {
    this.#node = parseRegExp(pattern);
    const nodes = this.#node.kind === 'sequence' ? this.#node.nodes : [this.#node];
    this.repeats = repeatsOf(this.#node);
    this.#native = nodes[0]?.kind === 'begin' && isQuick(this.#node) ? pattern : undefined;
    this.#prefix = nodes[0]?.kind === 'begin' ? lettersOf(nodes.slice(1)).join('') : '';
    this.#suffix =
      nodes.at(-1)?.kind === 'end' ? lettersOf(nodes.slice(0, -1).reverse()).reverse().join('') : '';
  }

  test(text: string): boolean {
    if (this.#native) return this.#native.test(text);
    this.steps = 0;
    if (!text.startsWith(this.#prefix) || !text.endsWith(this.#suffix)) return false;
    if (subject?.text !== text) subject = new Subject(text);
    subject.steps = 0;
    const matches = subject.match(this.#node);
    this.steps = subject.steps;
    return matches;
  }
}

/** How far backtracking can go, where it can. */
interface Retries {
  /** Runs of any length: each one multiplies the steps by the length of the text. */
  runs: number;
  /** Ways to match the rest. */
  ways: number;
  /** Letters to look at. */
  length: number;
  /** Of them, those behind a run. */
  tail: number;
}

/** Whether the engine's own matching is linear as well, and then faster: with one run at most, and little behind it. */
function isQuick(node: Node): boolean {
  const { runs, ways, tail, length } = retriesOf(node);
  return runs === 0 ? ways * length <= 1_000 : runs === 1 && ways * tail <= 32;
}

function retriesOf(node: Node): Retries {
  switch (node.kind) {
    case 'set':
      return { runs: 0, ways: 1, length: 1, tail: 0 };
    case 'run': {
      const { length, runs } = retriesOf({ kind: 'sequence', nodes: node.assertions });
      return { runs: runs + 1, ways: 1, length: 1, tail: length + 1 };
    }
    case 'loop':
      return { runs: Number.POSITIVE_INFINITY, ways: 1, length: 1, tail: 1 };
    case 'look': {
      const { runs, ways, length } = retriesOf(node.body);
      // As picomatch has before each letter of `**`, which looks at four at most.
      const steps = runs === 0 && ways * length <= 48 ? 4 : ways * length;
      return { runs: runs * 2, ways: 1, length: steps, tail: 0 };
    }
    case 'sequence':
      return node.nodes.map(retriesOf).reduce(
        (all, part) => ({
          runs: all.runs + part.runs,
          ways: all.ways * part.ways,
          length: all.length + part.length,
          tail: all.runs > 0 ? all.tail + part.length : part.tail,
        }),
        { runs: 0, ways: 1, length: 0, tail: 0 },
      );
    case 'choice':
      return node.nodes.map(retriesOf).reduce(
        (all, part) => ({
          runs: all.runs + part.runs,
          ways: all.ways + part.ways,
          length: Math.max(all.length, part.length),
          tail: Math.max(all.tail, part.tail),
        }),
        { runs: 0, ways: 0, length: 0, tail: 0 },
      );
    default:
      return { runs: 0, ways: 1, length: 0, tail: 0 };
  }
}

function repeatsOf(node: Node): number {
  if (node.kind === 'loop') return node.flat && node.inner.length === 0 ? 1 : Number.POSITIVE_INFINITY;
  if (node.kind === 'look') return repeatsOf(node.body);
  return node.kind === 'sequence' || node.kind === 'choice'
    ? node.nodes.reduce((sum, part) => sum + repeatsOf(part), 0)
    : 0;
}

/** The last one, as most texts are asked about by many patterns one after the other. */
let subject: Subject | undefined;

/** That every match begins with. */
function lettersOf(nodes: readonly Node[]): string[] {
  const letters = nodes.map((node) => (node.kind === 'set' ? node.letter : undefined));
  const end = letters.indexOf(undefined);
  return letters
    .slice(0, end === -1 ? letters.length : end)
    .map((code) => String.fromCharCode(code as number));
}

/** A text, and what patterns found out about it. */
class Subject {
  readonly text: string;
  steps = 0;
  readonly #words: number;
  /** Also the one behind the last letter. */
  readonly #all: Bits;
  readonly #letters = new Map<number, Bits>();
  readonly #known = new Map<number, Bits>();
  #ordered: { codes: readonly number[]; below: readonly Bits[] } | undefined;
  /** Of each loop that is being gone through: where it was entered, and where it was left. */
  readonly #visits = new Map<LoopNode, { entered: Bits; left: Bits }>();
  readonly #free: Bits[] = [];
  readonly #nowhere: Bits;

  constructor(text: string) {
    this.text = text;
    this.#words = Math.floor(text.length / wordBits) + 1;
    this.#nowhere = this.#none();
    this.#all = this.#none().fill(full);
    this.#all[this.#words - 1] = 2 ** ((text.length % wordBits) + 1) - 1;
  }

  match(node: Node): boolean {
    return this.#goBack(node, this.#all.slice(), 0, this.#words);
  }

  /**
   * Replaces positions by those from which the node leads to one of them, within some words.
   *
   * @returns whether there is any; where there is none, the words may hold anything
   */
  #goBack(node: Node, bits: Bits, from: number, to: number): boolean {
    switch (node.kind) {
      case 'set':
        return this.#step(this.#lettersIn(node), bits, from, to);
      case 'sequence':
        for (let i = node.nodes.length - 1; i >= 0; i--) {
          if (!this.#goBack(node.nodes[i] as Node, bits, from, to)) return false;
        }
        return true;
      case 'choice':
        return this.#choose(node.nodes, bits, from, to);
      case 'run': {
        const allowed = this.#known.get(node.id) ?? this.#remember(node.id, this.#lettersOf(node));
        if (node.min === 1 && !this.#step(allowed, bits, from, to)) return false;
        return this.#run(allowed, bits, from, to);
      }
      case 'loop':
        return node.flat && !node.isNested
          ? this.#repeat(node.flat, node.min, bits)
          : this.#loop(node, bits, from, to);
      default:
        return this.#keep(this.#placesOf(node), bits, from, to);
    }
  }

  /** One letter back. */
  #step(allowed: Bits, bits: Bits, from: number, to: number): boolean {
    this.steps += to - from;
    let carry = 0;
    let any = 0;
    for (let i = from; i < to; i++) {
      const reached = (bits[i] as number) & (allowed[i] as number);
      const word = ((reached << 1) & full) | carry;
      bits[i] = word;
      any |= word;
      carry = reached >>> (wordBits - 1);
    }
    return any !== 0;
  }

  /** Any number of letters back: an addition carries each position through the letters that may follow on each other. */
  #run(allowed: Bits, bits: Bits, from: number, to: number): boolean {
    this.steps += to - from;
    let carry = 0;
    let any = 0;
    for (let i = from; i < to; i++) {
      const letters = allowed[i] as number;
      const word = bits[i] as number;
      const sum = (word & letters) + letters + carry;
      carry = sum >>> wordBits;
      const reached = word | ((sum & full) ^ letters);
      bits[i] = reached;
      any |= reached;
    }
    return any !== 0;
  }

  #keep(allowed: Bits, bits: Bits, from: number, to: number): boolean {
    this.steps += to - from;
    let any = 0;
    for (let i = from; i < to; i++) {
      const word = (bits[i] as number) & (allowed[i] as number);
      bits[i] = word;
      any |= word;
    }
    return any !== 0;
  }

  #choose(nodes: readonly Node[], bits: Bits, from: number, to: number): boolean {
    let reached: Bits | undefined;
    for (let n = 0; n < nodes.length - 1; n++) {
      this.steps += to - from;
      const branch = this.#take();
      for (let i = from; i < to; i++) branch[i] = bits[i] as number;
      const isReached = this.#goBack(nodes[n] as Node, branch, from, to);
      if (isReached && reached) unite(reached, branch, from, to);
      if (isReached && !reached) reached = branch;
      else this.#free.push(branch);
    }
    const isReached = this.#goBack(nodes.at(-1) as Node, bits, from, to);
    if (!reached) return isReached;
    if (!isReached) bits.fill(0, from, to);
    unite(bits, reached, from, to);
    this.#free.push(reached);
    return true;
  }

  /** Letter by letter, for all texts at once: a bit for each of their letters says that the ones before it were passed. */
  #repeat({ sets, firsts, lasts }: FlatLoop, min: 0 | 1, bits: Bits): boolean {
    const words = Math.floor(sets.length / wordBits) + 1;
    const pack = (places: readonly number[]) => toBits(places, words);
    const [first, last, passed] = [pack(firsts), pack(lasts), pack([])];
    const masks = new Map<number, Bits>();
    const maskOf = (code: number) => {
      const places = sets.flatMap(({ ranges }, i) => (isIn(ranges, code) ? [i] : []));
      const mask = pack(places);
      masks.set(code, mask);
      return mask;
    };
    const start = bits.slice();
    if (min === 1) bits.fill(0);
    let isEntered = false;
    let isActive = false;
    for (let back = 0; back < this.text.length; back++) {
      const word = Math.floor(back / wordBits);
      const bit = 1 << (back % wordBits);
      isEntered ||= ((start[word] as number) & bit) !== 0;
      if (!isEntered && !isActive) continue;
      this.steps += words;
      const code = this.text.charCodeAt(this.text.length - 1 - back);
      const mask = masks.get(code) ?? maskOf(code);
      let carry = 0;
      let active = 0;
      let left = 0;
      for (let i = 0; i < words; i++) {
        const before = passed[i] as number;
        const begin = first[i] as number;
        const next =
          (((before << 1) & full & ~begin) | (carry & ~begin) | (isEntered ? begin : 0)) &
          (mask[i] as number);
        carry = before >>> (wordBits - 1);
        passed[i] = next;
        active |= next;
        left |= next & (last[i] as number);
      }
      isActive = active !== 0;
      isEntered = left !== 0;
      if (isEntered) {
        const after = Math.floor((back + 1) / wordBits);
        bits[after] = (bits[after] as number) | (1 << ((back + 1) % wordBits));
      }
    }
    return this.#keep(this.#all, bits, 0, this.#words);
  }

  /**
   * Word by word, as it leads to where it is or further. While the outermost loop goes on, none is entered or left at the
   * same position twice: what follows there has been found already.
   */
  #loop(node: LoopNode, bits: Bits, from: number, to: number): boolean {
    if (!node.isNested) for (const loop of [node, ...node.inner]) this.#visits.delete(loop);
    const visits = this.#visits.get(node) ?? { entered: this.#none(), left: this.#none() };
    this.#visits.set(node, visits);
    const { entered, left } = visits;
    const waiting = this.#take();
    for (let i = from; i < to; i++) {
      waiting[i] = (bits[i] as number) & ~(entered[i] as number);
      bits[i] = node.min === 0 ? (bits[i] as number) & ~(left[i] as number) : 0;
      left[i] = (left[i] as number) | (bits[i] as number);
    }
    const pass = this.#take();
    for (let i = from; i < to; i++) {
      while (waiting[i] !== 0) {
        const end = Math.min(to, i + node.words);
        this.steps += end - i;
        pass.fill(0, i, end);
        pass[i] = waiting[i] as number;
        entered[i] = (entered[i] as number) | (waiting[i] as number);
        waiting[i] = 0;
        if (!this.#goBack(node.body, pass, i, end)) continue;
        for (let j = i; j < end; j++) {
          const reached = pass[j] as number;
          waiting[j] = (waiting[j] as number) | (reached & ~(entered[j] as number));
          bits[j] = (bits[j] as number) | (reached & ~(left[j] as number));
          left[j] = (left[j] as number) | reached;
        }
      }
    }
    this.#free.push(waiting, pass);
    return this.#keep(this.#all, bits, from, to);
  }

  #none(): Bits {
    return new Int32Array(this.#words);
  }

  /** With anything in it. */
  #take(): Bits {
    return this.#free.pop() ?? this.#none();
  }

  #remember(id: number, bits: Bits): Bits {
    this.#known.set(id, bits);
    return bits;
  }

  #placesOf(node: AssertionNode): Bits {
    return this.#known.get(node.id) ?? this.#remember(node.id, this.#findPlaces(node));
  }

  /** Where an assertion holds. */
  #findPlaces(node: AssertionNode): Bits {
    const { length } = this.text;
    if (node.kind === 'begin' || node.kind === 'end')
      return this.#positions([node.kind === 'begin' ? length : 0]);
    if (node.kind === 'look') {
      const bits = this.#all.slice();
      if (!this.#goBack(node.body, bits, 0, this.#words)) bits.fill(0);
      return node.negative ? bits.map((word, i) => (this.#all[i] as number) & ~word) : bits;
    }
    const isWord = (at: number) => /\w/.test(this.text.charAt(at));
    const places = Array.from({ length: length + 1 }, (_, back) => back);
    return this.#positions(
      places.filter((back) => (isWord(length - back - 1) !== isWord(length - back)) !== node.negative),
    );
  }

  #positions(places: readonly number[]): Bits {
    return toBits(places, this.#words);
  }

  /** Letters that the run may pass: those of its set where the assertions before it hold. */
  #lettersOf({ set, assertions }: RunNode): Bits {
    const letters = this.#lettersIn(set);
    const places = assertions.map((node) => this.#placesOf(node));
    // The bit of a letter is that of the position behind it.
    return places.reduce(
      (bits, allowed) =>
        bits.map(
          (word, i) =>
            word & (((allowed[i] as number) >>> 1) | (((allowed[i + 1] ?? 0) & 1) << (wordBits - 1))),
        ),
      letters,
    );
  }

  /** Where letters of a set stand. */
  #lettersIn({ ranges, letter, id }: SetNode): Bits {
    if (letter !== undefined) return this.#letters.get(letter) ?? this.#findLetter(letter);
    return this.#known.get(id) ?? this.#remember(id, this.#findLetters(ranges));
  }

  #findLetters(ranges: Ranges): Bits {
    const others = complement(ranges);
    const isFew = others.every(([from, to]) => to - from < 2) && others.length < 4;
    return isFew ? this.#allBut(others) : this.#inRanges(ranges);
  }

  #findLetter(code: number): Bits {
    const letter = String.fromCharCode(code);
    const places: number[] = [];
    for (let at = this.text.indexOf(letter); at >= 0; at = this.text.indexOf(letter, at + 1)) {
      places.push(this.text.length - 1 - at);
    }
    const bits = places.length > 0 ? this.#positions(places) : this.#nowhere;
    this.#letters.set(code, bits);
    return bits;
  }

  #allBut(ranges: Ranges): Bits {
    const bits = this.#all.slice();
    const remove = (others: Bits) => {
      for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] as number) & ~(others[i] as number);
    };
    remove(this.#positions([this.text.length]));
    for (const [from, to] of ranges) {
      for (let code = from; code <= to; code++)
        if (this.text.includes(String.fromCharCode(code))) remove(this.#findLetter(code));
    }
    return bits;
  }

  #inRanges(ranges: Ranges): Bits {
    const { codes, below } = this.#order();
    const bits = this.#none();
    for (const [from, to] of ranges) {
      const [less, more] = [below[rank(codes, from)] as Bits, below[rank(codes, to + 1)] as Bits];
      for (let i = 0; i < bits.length; i++)
        bits[i] = (bits[i] as number) | ((more[i] as number) & ~(less[i] as number));
    }
    return bits;
  }

  /** For each letter of the text, by its code, where lower ones stand. */
  #order() {
    if (this.#ordered) return this.#ordered;
    const places = Map.groupBy(this.text.split('').entries(), ([, letter]) => letter.charCodeAt(0));
    const codes = [...places.keys()].sort((a, b) => a - b);
    const below = [this.#nowhere];
    for (const code of codes) {
      const letters = this.#positions((places.get(code) ?? []).map(([at]) => this.text.length - 1 - at));
      below.push(letters.map((word, i) => word | (below.at(-1)?.[i] as number)));
    }
    this.#ordered = { codes, below };
    return this.#ordered;
  }
}

function toBits(places: readonly number[], words: number): Bits {
  const bits = new Int32Array(words);
  for (const place of places) {
    const word = Math.floor(place / wordBits);
    bits[word] = (bits[word] as number) | (1 << (place % wordBits));
  }
  return bits;
}

function isIn(ranges: Ranges, code: number): boolean {
  return ranges.some(([from, to]) => from <= code && code <= to);
}

function unite(bits: Bits, others: Bits, from: number, to: number): void {
  for (let i = from; i < to; i++) bits[i] = (bits[i] as number) | (others[i] as number);
}

/** How many of the codes are below one. */
function rank(codes: readonly number[], code: number): number {
  let low = 0;
  let high = codes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((codes[middle] as number) < code) low = middle + 1;
    else high = middle;
  }
  return low;
}
