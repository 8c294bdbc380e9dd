import { readMarkdown } from './markdown.ts';

/** What a page refers to, where it stands in the text. */
export interface Link {
  kind: 'link' | 'image';
  /** As it is written, with fragment and query. */
  target: string;
  start: number;
  end: number;
}

/** More than any page has; a page of nothing but links is not worth the time. */
const maxLinks = 20_000;

/** Links and images of a page, in the order of the text. */
export function readLinks(path: string, text: string): Link[] {
  const links = /\.rst$/i.test(path) ? readRst(text) : readProse(readMarkdown(path, text).prose);
  return links.sort((one, other) => one.start - other.start).slice(0, maxLinks);
}

function readProse(prose: string): Link[] {
  return [...readInline(prose), ...readDefinitions(prose), ...readAttributes(prose)];
}

/** `[text](target "title")` and `![text](target)`. */
function readInline(prose: string): Link[] {
  const links: Link[] = [];
  const inline = /\]\([ \t]*(?:<([^<>\n]{0,2000})>|([^\s<>]{1,2000}))/g;
  for (const { 0: all, 1: pointed, 2: plain = '', index } of prose.matchAll(inline)) {
    const target = pointed ?? untilClosed(plain);
    const start = index + all.length - (pointed === undefined ? plain.length : pointed.length + 1);
    links.push({ kind: kindOf(prose, index), target, start, end: start + target.length });
  }
  return links.filter(({ target }) => target !== '');
}

/** A parenthesis in a target counts where it is opened there, too. */
function untilClosed(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && depth-- === 0) return text.slice(0, at);
  }
  return text;
}

/** How far back the beginning of a link's text is looked for. */
const maxLabel = 500;

function kindOf(prose: string, close: number): Link['kind'] {
  let depth = 0;
  for (let at = close; at >= 0 && at > close - maxLabel; at -= 1) {
    if (prose[at] === ']') depth += 1;
    else if (prose[at] === '[' && --depth === 0) return prose[at - 1] === '!' ? 'image' : 'link';
  }
  return 'link';
}

/** `[label]: target` */
function readDefinitions(prose: string): Link[] {
  const definition = /^[ \t>]{0,20}\[(?!\^)[^\]\n]{1,500}\]:[ \t]*<?([^\s<>]{1,2000})/gm;
  return Array.from(prose.matchAll(definition), ({ 0: all, 1: target = '', index }) => {
    const start = index + all.length - target.length;
    return { kind: 'link', target, start, end: start + target.length };
  });
}

/** Of HTML and of components. */
function readAttributes(prose: string): Link[] {
  const attribute = /[\s"'](href|src|to)[ \t]*=[ \t]*(?:"([^"\n]{1,2000})"|'([^'\n]{1,2000})')/g;
  return Array.from(prose.matchAll(attribute), ({ 0: all, 1: name, 2: double, 3: single, index }) => {
    const target = double ?? single ?? '';
    const start = index + all.length - target.length - 1;
    const kind = name === 'src' ? 'image' : 'link';
    return { kind, target, start, end: start + target.length };
  });
}

/** What Sphinx resolves inside the site: https://www.sphinx-doc.org/en/master/usage/referencing.html */
function readRst(text: string): Link[] {
  const roles = /:(?:doc|download):`(?:[^`<\n]{0,500}<([^`>\n]{1,500})>|([^`<\n]{1,500}))`/g;
  const directives =
    /^[ \t]*\.\.[ \t]+(?:\|[^|\n]{1,200}\|[ \t]+)?(image|figure|include|literalinclude)::[ \t]+(\S{1,2000})/gm;
  return [
    ...Array.from(text.matchAll(roles), ({ 0: all, 1: pointed, 2: plain, index }): Link => {
      const target = pointed ?? plain ?? '';
      const start = index + all.lastIndexOf(target);
      return { kind: 'link', target, start, end: start + target.length };
    }),
    ...Array.from(text.matchAll(directives), ({ 0: all, 1: name, 2: target = '', index }): Link => {
      const start = index + all.length - target.length;
      return {
        kind: name === 'image' || name === 'figure' ? 'image' : 'link',
        target,
        start,
        end: start + target.length,
      };
    }),
  ];
}

/** Links that lead out of the site, or are made when the site is built. */
export function leadsOutside(target: string): boolean {
  return (
    /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target) || /[{}<>$%|]|\s/.test(target.replace(/%[\da-f]{2}/gi, ''))
  );
}

/** The target without what stands behind the path. */
export function splitTarget(target: string): { path: string; fragment: string | undefined } {
  const [whole = '', fragment] = splitOnce(target, '#');
  return { path: splitOnce(whole, '?')[0] ?? '', fragment };
}

function splitOnce(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
