import type { ChapterFile } from '../../store/jobs/job.ts';

/** What a summary is held against. */
export interface ChangeFacts {
  changes: readonly { path: string; from?: string | undefined; change: ChapterFile['change'] }[];
  /** Of all files, before and after. */
  paths: Iterable<string>;
  /** Whether a changed line holds a link. */
  changesLinks: boolean;
  /** Whether the checks found links that the change broke. */
  breaksLinks: boolean;
  /** Whether who wrote it could run programs. */
  canRun: boolean;
  /** The text may be about one turn of several or about all of them: then numbers of files and links say nothing. */
  isPart?: boolean;
}

/** A sentence that the change does not bear out. */
export interface UntrueClaim {
  sentence: string;
  /** A sentence of its own. */
  why: string;
}

/** Longer ones are no sentences; all that is looked for in one takes time that grows with its length. */
const maxSentence = 1_000;
const maxClaims = 20;

type Kind = 'edit' | 'add' | 'delete' | 'move';

const verbs: Readonly<Record<Kind, RegExp>> = {
  edit: /^(?:(?:updat|chang|revis|replac|improv|rewrit|writ|translat)(?:e|es|ed|ing)|(?:edit|correct|adjust|extend|expand|reword|amend|reformat|touch)(?:s|ed|ing)?|fix(?:es|ed|ing)?|touch(?:es|ed)|(?:re)?wrote|(?:re)?written|(?:clarif|modif)(?:y|ies|ied|ying))$/,
  add: /^(?:add(?:s|ed|ing)?|(?:creat|introduc)(?:e|es|ed|ing))$/,
  delete: /^(?:(?:delet|remov)(?:e|es|ed|ing)|drop(?:s|ped|ping)?)$/,
  move: /^(?:(?:renam|mov)(?:e|es|ed|ing))$/,
};
const kinds = Object.keys(verbs) as Kind[];

/** What follows is named, and not claimed to be changed. */
const references =
  /^(?:as|since|because|like|following|per|see|which|that|where|who|whose|when|if|match(?:es|ing)?|linking|points?|pointing|refers?|referring|mentions|mentioning|than|by|based|according|against|for|with|says?|explains?|describes?|lists?|states?|documents?)$/;
/** Only where they lead to what follows: "a link to docs/b.md". */
const pointers = /^(?:links?|references?|pointers?)$/;
const determiners = /^(?:the|a|an|this|these|those|all|its|their|any|no|of|some|each|every|my|your|our)$/;
const fillers =
  /^(?:and|or|both|the|a|an|new|old|whole|entire|empty|page|pages|file|files|document|documents|image|images)$/;
/** In a part of a sentence that claims no change. */
const guards =
  /^(?:not|never|\w+n['’]t|cannot|unchanged|untouched|unaffected|unaltered|leave|leaves|left|leaving|stay|stays|remain|remains|needs?|should|could|would|might|must|may|please|todo|without|unable|already|earlier|previously|suggest|recommend|consider|instead|nothing|neither|nor)$/;
const passives = /^(?:was|were|is|are|been|being|got|gets)$/;
const page = /\.(?:md|mdx|markdown|rst|adoc|asciidoc|textile)$/i;

interface Word {
  text: string;
  /** In lower case. */
  low: string;
  start: number;
  end: number;
  /** Which part of the sentence it is in. */
  part: number;
}

/** Which sentences of a title and a summary the change does not bear out. In time that grows with the length of the text. */
export function findUntrue(text: string, facts: ChangeFacts): UntrueClaim[] {
  return judge(text, facts).map(({ sentence, why }) => ({ sentence, why }));
}

/** The same text without these sentences; a title goes as a whole. */
export function cutUntrue(text: string, facts: ChangeFacts): { text: string; cut: UntrueClaim[] } {
  const found = judge(text, facts);
  if (found.length === 0) return { text, cut: [] };
  let kept = '';
  let at = 0;
  for (const { start, end } of found) {
    kept += text.slice(at, start);
    at = end;
  }
  kept += text.slice(at);
  const [title = '', ...rest] = kept.split('\n');
  const body = rest
    .filter((line) => !/^\s{0,20}(?:[-*+]|\d{1,3}[.)])(?: \[[ xX]\])?\s*$/.test(line))
    .join('\n')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n');
  const cut = found.map(({ sentence, why }) => ({ sentence, why }));
  return { text: `${title.trim()}\n${body}`.trimEnd(), cut };
}

/** Files that a text names: by their paths, or by their ends. */
export function namedFiles(text: string, paths: Iterable<string>): string[][] {
  const known = knownPaths(paths);
  return wordsOf(text).flatMap(({ text: word }) => {
    const found = known(word);
    return found.length > 0 ? [found] : [];
  });
}

/** Finds the paths that a word may mean. */
type KnownPaths = (word: string) => string[];

function knownPaths(paths: Iterable<string>): KnownPaths {
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  const byName = Map.groupBy(new Set(paths), nameOf);
  return (word) => {
    const path = word.replace(/^(?:\.?\/)+/, '').replace(/#.*$/, '');
    const same = byName.get(nameOf(path)) ?? [];
    const exact = same.filter((one) => one === path);
    return exact.length > 0 ? exact : same.filter((one) => one.endsWith(`/${path}`));
  };
}

interface Place extends UntrueClaim {
  start: number;
  end: number;
}

function judge(text: string, facts: ChangeFacts): Place[] {
  const known = knownPaths([
    ...facts.paths,
    ...facts.changes.flatMap(({ path, from = path }) => [path, from]),
  ]);
  const found: Place[] = [];
  for (const { start, end } of sentencesOf(text)) {
    const sentence = text.slice(start, end).trim();
    const why = sentence.length > maxSentence ? undefined : refute(sentence, facts, known);
    if (why !== undefined) found.push({ sentence, why, start, end });
    if (found.length === maxClaims) break;
  }
  return found;
}

/** Outside of code and quotations; the first line is one, whatever is in it. */
function sentencesOf(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let open: { start: number; end: number } | undefined;
  let fence: string | undefined;
  let at = 0;
  const close = () => {
    if (open) found.push(...splitSentences(text, open));
    open = undefined;
  };
  for (const line of text.split('\n')) {
    const [start, end] = [at, at + line.length];
    at = end + 1;
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]?.slice(0, 3);
    const lead = /^\s{0,20}(?:[-*+]|\d{1,3}[.)])(?: \[[ xX]\])? /.exec(line)?.[0];
    if (fence !== undefined) {
      if (mark === fence) fence = undefined;
    } else if (start === 0) {
      found.push({ start, end });
    } else if (mark !== undefined) {
      close();
      fence = mark;
    } else if (line.trim() === '' || /^\s{0,3}(?:>|#|\|)/.test(line)) {
      close();
    } else if (lead !== undefined) {
      close();
      // A box that is not ticked claims nothing.
      if (!lead.includes('[ ]')) open = { start: start + lead.length, end };
    } else {
      open = { start: open?.start ?? start, end };
    }
  }
  close();
  return found;
}

function splitSentences(text: string, { start, end }: { start: number; end: number }) {
  const found: { start: number; end: number }[] = [];
  let from = start;
  for (const { index, 0: gap } of text.slice(start, end).matchAll(/(?<=[.!?;][)"'`*_]?)\s+/g)) {
    found.push({ start: from, end: start + index + gap.length });
    from = start + index + gap.length;
  }
  found.push({ start: from, end });
  return found;
}

function wordsOf(sentence: string): Word[] {
  let part = 0;
  let last = 0;
  const words: Word[] = [];
  for (const { 0: found, index } of sentence.matchAll(/[^\s,;:"`<>|*()!?]+/g)) {
    const text = found.replace(/[.'’]+$/, '');
    const low = text.toLowerCase();
    const isList = /^[\s,`"*]*,[\s,`"*]*$/.test(sentence.slice(last, index));
    if (/[,;]/.test(sentence.slice(last, index)) && !isList) part += 1;
    if (/^(?:but|while|although|whereas|though|so)$/.test(low)) part += 1;
    if (isList) part += 1;
    words.push({ text, low, start: index, end: index + text.length, part });
    last = index + found.length;
  }
  return words;
}

/** Why a sentence is not so. */
function refute(sentence: string, facts: ChangeFacts, known: KnownPaths): string | undefined {
  const words = wordsOf(sentence);
  const guarded = new Set(words.filter(({ low }) => guards.test(low)).map(({ part }) => part));
  const ofPart = refuteRun(sentence, facts) ?? refuteFiles(sentence, { words, guarded, facts, known });
  if (facts.isPart) return ofPart;
  return ofPart ?? refuteLinks(sentence, facts, words, guarded) ?? refuteCounts(words, guarded, facts);
}

const runs = [
  /\b(?:tests?|specs|build|ci|linter|linting|type[- ]?checks?)\b(?: \w{1,20}){0,3} (?:pass|passes|passed|succeeds?|succeeded|(?:is|are) (?:green|passing))\b/i,
  /\b(?:site|docs|documentation|project|pages?) (?:now |still |also )?(?:builds?|built|renders?|rendered|compiles?|compiled) (?:cleanly|correctly|fine|locally|without|as expected|successfully)\b/i,
  /\b(?:verified|checked|tested|confirmed|viewed|previewed|rendered|opened|tried|looked)\b.{0,80}\b(?:in (?:a |the |my )?(?:\w{1,20} )?browsers?|in (?:chrome|firefox|safari|edge)\b|locally|on localhost|on (?:my|a) (?:machine|phone|device)|in (?:a |the )?(?:preview|staging))\b/i,
  /\b(?:ran|executed)\b.{0,40}\b(?:tests?|suite|builds?|linters?|lint|scripts?|commands?|snippets?|examples?|code|npm|pnpm|yarn|make|vale|markdownlint|mkdocs|docusaurus|hugo|sphinx|jekyll|vitepress)\b/i,
  /\b(?:built|rebuilt|compiled)\b (?:the |this )?(?:\w{1,20} )?(?:site|docs|documentation|project|book)\b/i,
  /\b(?:tested|tried)\b (?:out )?(?:all |the |each |every |both |these ){0,2}(?:\w{1,20} )?(?:snippets?|examples?|commands?|code|requests?)\b/i,
  /\b(?:tests?|build|linter|snippets?|examples?|commands?|scripts?)\b (?:was|were|has been|have been) (?:\w{1,20} )?(?:run|executed|tested)\b/i,
];
/** What a page says is no claim of who wrote it. */
const reports =
  /\b(?:explain|describ|document|mention|says?\b|said\b|stat(?:e|es|ed|ing)\b|tells?\b|when\b|if\b|how\b|until\b|once\b|whether\b|search|grep|not\b|never\b|n['’]t\b|cannot\b|unable\b|could\b|please\b|should\b|must\b|needs?\b|would\b|without running|nobody|nothing)/i;

function refuteRun(sentence: string, { canRun }: ChangeFacts): string | undefined {
  if (canRun) return undefined;
  const found = runs.flatMap((run) => run.exec(sentence)?.index ?? []);
  const first = Math.min(...found);
  if (
    found.length === 0 ||
    reports.test(sentence.slice(0, first)) ||
    /\b(?:not|never|n['’]t)\b/i.test(sentence)
  )
    return undefined;
  return 'Nothing can be run or opened here, so that this cannot have been seen.';
}

function refuteLinks(
  sentence: string,
  { changesLinks, breaksLinks }: ChangeFacts,
  words: readonly Word[],
  guarded: ReadonlySet<number>,
): string | undefined {
  const all = words.findIndex(({ low }) => /^(?:all|every|each)$/.test(low));
  const link = words.findIndex(({ low }, index) => index > all && /^links?$/.test(low));
  if (all < 0 || link < 0 || link - all > 6 || words.some(({ part }) => guarded.has(part))) return undefined;
  const changes = words.some(
    ({ low }) => verbs.edit.test(low) || /^(?:repair|mend|redirect)(?:s|ed|ing)?$/.test(low),
  );
  const works = /\b(?:works?|resolves?|valid|fine|intact|correct)\b/i.test(sentence);
  if (!changes && !works) return undefined;
  if (breaksLinks) return 'The checks still find links that lead nowhere.';
  return changes && !works && !changesLinks ? 'No line with a link is changed.' : undefined;
}

interface Reading {
  words: readonly Word[];
  guarded: ReadonlySet<number>;
  facts: ChangeFacts;
  known: KnownPaths;
}

function refuteFiles(sentence: string, { words, guarded, facts, known }: Reading): string | undefined {
  let verb: { kind: Kind; part: number; isDirect: boolean } | undefined;
  let subjects: number[] = [];
  for (const [index, word] of words.entries()) {
    const { low, part } = word;
    const kind = kindOf(words, index);
    if (isName(word, known)) {
      const claimed = verb && !guarded.has(verb.part) ? verb : undefined;
      const isAboutWork = isSubject(sentence, words, index);
      if (!guarded.has(part) && (claimed || isAboutWork) && !isReference(sentence, word)) {
        const direct = claimed?.isDirect ? claimed.kind : 'edit';
        const why = refuteFile(word, direct, words[index + 1]?.low ?? '', facts, known);
        if (why !== undefined) return why;
      }
      if (!verb) subjects.push(index);
      continue;
    }
    if (kind !== undefined) {
      const isPassive = words
        .slice(Math.max(0, index - 2), index)
        .some((before) => passives.test(before.low));
      if (isPassive && !guarded.has(part)) {
        for (const subject of subjects) {
          const named = words[subject];
          if (!named || guarded.has(named.part) || isReference(sentence, named)) continue;
          const why = refuteFile(named, kind, words[index + 1]?.low ?? '', facts, known);
          if (why !== undefined) return why;
        }
      }
      subjects = [];
      verb = { kind, part, isDirect: true };
    } else if (
      references.test(low) ||
      (pointers.test(low) && words[index + 1]?.low === 'to') ||
      (low === 'from' && (verb?.kind === 'edit' || verb?.kind === 'add'))
    ) {
      verb = undefined;
      if (/^(?:which|that|see|as)$/.test(low)) subjects = [];
    } else if (verb && !fillers.test(low)) {
      verb.isDirect = false;
    }
  }
  return undefined;
}

function kindOf(words: readonly Word[], index: number): Kind | undefined {
  const { low = '' } = words[index] ?? {};
  if (determiners.test(words[index - 1]?.low ?? '')) return undefined;
  return kinds.find((kind) => verbs[kind].test(low));
}

/** A file of the repository, or what could only be a page of it. */
function isName({ text }: Word, known: KnownPaths): boolean {
  if (text.startsWith('//') || !text.includes('.')) return false;
  return known(text).length > 0 || (page.test(text.replace(/#.*$/, '')) && /^[\w@./#-]+$/.test(text));
}

/** "docs/a.md:12" is where something was read. */
function isReference(sentence: string, { end }: Word): boolean {
  return /^`?:\d|^`? line \d/.test(sentence.slice(end, end + 12));
}

/** "docs/a.md: adds …", "docs/a.md now says …". */
function isSubject(sentence: string, words: readonly Word[], index: number): boolean {
  const { end = 0 } = words[index] ?? {};
  if (words[index + 1]?.low === 'now') return true;
  return index === 0 && /^[`*]{0,3}(?:: |\s[—–-] )/.test(sentence.slice(end, end + 8));
}

function refuteFile(
  { text }: Word,
  kind: Kind,
  next: string,
  { changes }: ChangeFacts,
  known: KnownPaths,
): string | undefined {
  // In a list, and not as a file.
  if ((kind === 'add' && next === 'to') || (kind === 'delete' && next === 'from')) return undefined;
  const paths = known(text);
  const touched = changes.filter(({ path, from }) => paths.includes(path) || (from && paths.includes(from)));
  if (touched.length === 0) return `${text} is not changed.`;
  const are = (...wanted: ChapterFile['change'][]) => touched.some(({ change }) => wanted.includes(change));
  switch (kind) {
    case 'edit':
      return undefined;
    case 'add':
      return are('added', 'moved') ? undefined : `${text} is not new.`;
    case 'delete':
      return next === 'in' || are('deleted', 'moved') ? undefined : `${text} is not deleted.`;
    case 'move':
      return !/^(?:to|into|)$/.test(next) || are('moved', 'added', 'deleted')
        ? undefined
        : `${text} is not moved or renamed.`;
    default:
      return kind satisfies never;
  }
}

/** From zero. */
export const numberWords = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
const nouns = /^(?:pages?|files?)$/;
/** After "page" these make it another thing, or say what happens to its place in a list. */
const others =
  /^(?:title|titles|reference|references|link|links|name|names|description|header|footer|number|numbers|break|to|from|up|down|above|below|before|after|under|within|in|tree|list|'s)$/;
const wanted: Readonly<Record<Kind, readonly ChapterFile['change'][]>> = {
  edit: ['added', 'edited', 'deleted', 'moved'],
  add: ['added'],
  delete: ['deleted'],
  move: ['moved'],
};
const words = { add: 'added', delete: 'deleted', move: 'moved or renamed', edit: 'changed' } as const;

function refuteCounts(
  sentence: readonly Word[],
  guarded: ReadonlySet<number>,
  { changes }: ChangeFacts,
): string | undefined {
  for (const [index, { low, part }] of sentence.entries()) {
    if (!nouns.test(low) || guarded.has(part)) continue;
    const claim = claimAt(sentence, index);
    if (claim === undefined) continue;
    const { kind, number } = claim;
    const next = sentence[index + 1]?.low ?? '';
    if (kind !== 'edit' && others.test(next)) continue;
    const all = changes.filter(({ change }) => wanted[kind].includes(change));
    // A page that was moved and rewritten is one deleted and one added.
    if (kind === 'move' && Math.min(...countsBy(changes, ['added', 'deleted'])) > 0) continue;
    if (number === undefined) {
      if (kind !== 'edit' && all.length === 0) return `No file is ${words[kind]}.`;
      continue;
    }
    const counts = [all, all.filter(({ path }) => page.test(path))].map(({ length }) => length);
    const parts = kind === 'edit' ? wanted.edit.flatMap((change) => countsOf(changes, change)) : [];
    const isPart = claim.isPart && number <= changes.length;
    if (isPart || [...counts, ...parts].includes(number)) continue;
    return `The number of files that are ${words[kind]} is ${counts[0]}, not ${number}.`;
  }
  return undefined;
}

function countsBy(changes: ChangeFacts['changes'], kinds: readonly ChapterFile['change'][]): number[] {
  return kinds.map((kind) => changes.filter(({ change }) => change === kind).length);
}

function countsOf(changes: ChangeFacts['changes'], change: ChapterFile['change']): number[] {
  const all = changes.filter((one) => one.change === change);
  return all.length === 0 ? [] : [all.length, all.filter(({ path }) => page.test(path)).length];
}

/** "adds two new pages", "fixes links in 3 pages", "3 pages were changed". */
function claimAt(
  sentence: readonly Word[],
  noun: number,
): { kind: Kind; number: number | undefined; isPart: boolean } | undefined {
  let number: number | undefined;
  for (let index = noun - 1; index >= Math.max(0, noun - 4); index -= 1) {
    const { low = '' } = sentence[index] ?? {};
    const kind = kindOf(sentence, index);
    if (kind !== undefined) return { kind, number, isPart: false };
    number ??= numberOf(low);
    if (/^(?:in|on|across|of|to|from)$/.test(low)) {
      if (number === undefined || low === 'of' || low === 'to') return undefined;
      const before = sentence.slice(Math.max(0, index - 4), index);
      const isEdit = before.some((_word, at) => kindOf(sentence, Math.max(0, index - 4) + at) !== undefined);
      return isEdit ? { kind: 'edit', number, isPart: true } : undefined;
    }
  }
  if (number === undefined) return undefined;
  const [first, second, third] = sentence.slice(noun + 1, noun + 4).map(({ low }) => low);
  if (!passives.test(first ?? '') && first !== 'have' && first !== 'has') {
    const kind = first === undefined ? undefined : kindOf(sentence, noun + 1);
    return kind && /ed$/.test(first ?? '') ? { kind, number, isPart: false } : undefined;
  }
  const at = [second, third].findIndex((low) => kinds.some((kind) => verbs[kind].test(low ?? '')));
  const kind = at < 0 ? undefined : kindOf(sentence, noun + 2 + at);
  return kind && { kind, number, isPart: false };
}

function numberOf(word: string): number | undefined {
  if (/^\d{1,6}$/.test(word)) return Number(word);
  const at = numberWords.indexOf(word);
  return at < 0 ? undefined : at;
}
