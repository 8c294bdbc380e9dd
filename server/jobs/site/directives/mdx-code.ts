/**
 * What a build of an MDX page runs: imports, exports, and expressions other than plain values. Where this cannot distinguish code
 * from text, all that follows counts as code, so that an edit below it is refused rather than let through.
 * https://mdxjs.com/docs/what-is-mdx/
 */
export function readMdxCode(text: string): string[] {
  // Names in front matter, as in "GET /users/{id}".
  const plain = text.replace(/^\uFEFF?---\r?\n[\s\S]{0,20000}?\n---[ \t]*(?=\r?\n|$)/, (front) =>
    front.replace(/\{([\w-]{1,100})\}/g, '$1'),
  );
  // Names of headings, which are no expressions: "# Start {#start}".
  return codeOf(plain.replace(/^([ \t>]*#{1,6}[ \t][^\n]*)\{#[\w.:-]{1,200}\}(?=[ \t]*\r?$)/gm, '$1'));
}

const fence = /^([ \t]*)(`{3,}|~{3,})(.*)$/;
const statement =
  /^(?:import\s*(?:["'{*/]|$|[^\s"'{*,]+\s*,|(?:[^\s"'{*,]+\s+){1,2}from\b|[^\s"'{*,]+\s*[{*])|export\s*(?:[{*/]|$|(?:default|const|let|var|function|async|class|type|enum|interface)\b))/m;

function codeOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  const code: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const rest = () => [...code, lines.slice(at).join('\n')];
    const end = isFence(lines[at]) ? endOfFence(lines, at) : undefined;
    if (isFence(lines[at])) {
      if (end === undefined) return rest();
      at = end;
      continue;
    }
    const length = lines
      .slice(at)
      .findIndex((line, index) => line.trim() === '' || (index > 0 && isFence(line)));
    const chunk = lines.slice(at, length < 0 ? undefined : at + length).join('\n');
    const found = codeOfChunk(chunk);
    if (found === undefined) return rest();
    code.push(...found);
    at = length < 0 ? lines.length : at + Math.max(length, 1);
  }
  return code;
}

export function isFence(line = ''): boolean {
  const [, , mark = '', info = ''] = fence.exec(line) ?? [];
  return mark !== '' && !(mark.startsWith('`') && info.includes('`'));
}

/**
 * The line after the fence's end; undefined where a list or a quotation may have ended it earlier.
 * @param open up to which line fences like it are known to have no end: many are not each looked for
 */
export function endOfFence(
  lines: readonly string[],
  start: number,
  open = new Map<string, number>(),
): number | undefined {
  const [, indent = '', mark = ''] = fence.exec(lines[start] ?? '') ?? [];
  const kind = indent + mark;
  if (start < (open.get(kind) ?? 0)) return undefined;
  for (let at = start + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const closing = line.trim();
    if (closing.length >= mark.length && closing === mark.charAt(0).repeat(closing.length)) return at + 1;
    if (closing !== '' && !line.startsWith(indent)) {
      open.set(kind, at);
      return undefined;
    }
  }
  open.set(kind, lines.length);
  return undefined;
}

/** Of lines without a blank one between them. Undefined: it does not end here, or looks like text. */
function codeOfChunk(chunk: string): string[] | undefined {
  if (/`{3,}|~{3,}/.test(chunk)) return undefined;
  if (statement.test(chunk)) return isBalanced(chunk) ? [chunk] : undefined;
  const hasSpans = chunk
    .split('\n')
    .every((line) => skipText(line, 0, { stops: '', hasSpans: true }) !== undefined);
  const code: string[] = [];
  for (let at = 0; at < chunk.length; ) {
    const next = skipText(chunk, at, { stops: '{<', hasSpans });
    if (next === undefined) return undefined;
    at = next;
    if (at >= chunk.length) break;
    const found = chunk[at] === '{' ? readExpression(chunk, at) : readTag(chunk, at);
    if (found === undefined) return undefined;
    code.push(...found.code);
    at = found.end;
  }
  return code;
}

/** Where the next of some characters stands outside of code spans. Undefined: a span does not end on its line. */
export function skipText(
  text: string,
  start: number,
  { stops, hasSpans }: { stops: string; hasSpans: boolean },
): number | undefined {
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (stops.includes(character)) return at;
    else if (character === '`' && hasSpans) {
      const [run = ''] = /^`+/.exec(text.slice(at)) ?? [];
      const line = text.slice(at + run.length).split('\n', 1)[0] ?? '';
      const close = findRun(line, run.length);
      if (close === undefined) return undefined;
      at += run.length + close + run.length - 1;
    }
  }
  return text.length;
}

/** Where exactly so many backticks are. */
export function findRun(line: string, length: number): number | undefined {
  return line.matchAll(/`+/g).find(([run]) => run.length === length)?.index;
}

interface Read {
  code: string[];
  end: number;
}

const tagStart = /^<[\p{L}_$/>]/u;

/** Attributes may hold expressions; their quoted values do not. */
function readTag(text: string, start: number): Read | undefined {
  if (!tagStart.test(text.slice(start, start + 3))) return { code: [], end: start + 1 };
  const code: string[] = [];
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '>') return { code, end: at + 1 };
    if (character === '"' || character === "'") {
      at = text.indexOf(character, at + 1);
      if (at < 0) return undefined;
    } else if (character === '{') {
      const found = readExpression(text, at);
      if (found === undefined) return undefined;
      code.push(...found.code);
      at = found.end - 1;
    }
  }
  return undefined;
}

/** Numbers, texts, lists, objects and comments: whatever stands between, nothing is called. */
const plainValue =
  /\s+|\/\*(?:(?!\*\/)[\s\S])*\*\/|"[^"\\\n]*"|'[^'\\\n]*'|-?\d+(?:\.\d+)?(?![\w$.])|(?:true|false|null|undefined)(?![\w$])|[A-Za-z_$][\w$]*(?=\s*:)|[{}[\],:]/y;

function readExpression(text: string, start: number): Read | undefined {
  return readPlainValue(text, start) ?? readCode(text, start);
}

function readPlainValue(text: string, start: number): Read | undefined {
  let depth = 0;
  for (plainValue.lastIndex = start; ; ) {
    const token = plainValue.exec(text)?.[0];
    if (token === undefined) return undefined;
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (depth === 0) return { code: [], end: plainValue.lastIndex };
  }
}

function readCode(text: string, start: number): Read | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    else if (`"'\``.includes(character)) at = endOfQuotation(text, at);
    if (depth === 0) return { code: [text.slice(start, at + 1)], end: at + 1 };
  }
  return undefined;
}

function endOfQuotation(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
  }
  return text.length;
}

function isBalanced(code: string): boolean {
  const count = (character: string) => code.split(character).length - 1;
  const pairs = [...'{}', ...'()', ...'[]'];
  const isEven = pairs.every(
    (open, index) => index % 2 === 1 || count(open) === count(pairs[index + 1] ?? ''),
  );
  return isEven && count('`') % 2 === 0;
}
