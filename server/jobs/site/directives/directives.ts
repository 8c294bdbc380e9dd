import { extname, posix } from 'node:path';
import { endOfFence, findRun, isFence, readMdxCode, skipText } from './mdx-code.ts';

/** What a build does with a page besides showing it. */
export interface Directive {
  /** As it is written: what a page had before may stay. */
  text: string;
  /** The one file that it reads; undefined: it runs something, or what it reads is not known. */
  reads?: ReadFile | undefined;
}

export interface ReadFile {
  /** As it is written. */
  path: string;
  /** Where it is looked for; the first that is there is read. */
  from: 'page' | 'pages' | 'anywhere';
  /** Whether it is read as a page itself, with directives. */
  isPage: boolean;
  /** Whether the check of links names it where it is missing. */
  isChecked?: boolean;
}

/** @param text a page, or whatever a page can take in */
export function readDirectives(dialect: Dialect, path: string, text: string): Directive[] {
  const read: (text: string, path: string) => Directive[] = readers[dialect];
  return read(text, path);
}

/** What can be put into pages of any language is read as none of them. */
const isMarkdown = (path: string) => /\.(mdx?|markdown|mdown|mkd|mdoc|markdoc)$/i.test(path);
const isText = (path: string) => /\.(txt|textile|mediawiki)$/i.test(path);
const unclosed = 300;

const readers = {
  mdx: (text) => readMdxCode(unwrapMdx(text)).map(run),
  html: (text, path) =>
    isMarkdown(path)
      ? [
          ...readHtml(withoutShownCode(unwrapMdx(text))),
          ...readImages(withoutShownCode(text), path),
          // Eleventy writes a page wherever this leads.
          ...readKeys('permalink', text).filter((entry) => /\.\.[\\/]/.test(entry.text)),
        ]
      : isText(path)
        ? readHtml(text)
        : [],
  vue: readVue,
  docsify: (text) => [
    ...readVue(text, ''),
    ...matches(
      /\[[^\]\n]{0,300}\]\(\s*<?([^\s)>]{1,500})>?\s[^)\n]{0,300}:include[^)\n]{0,300}\)/g,
      text,
      asPage,
    ),
  ],
  templates: readTemplates,
  substitutions: (text, path) => (isMarkdown(path) || isText(path) ? readTemplates(text) : []),
  liquid: readLiquid,
  hugo: readShortcodes,
  zola: (text) =>
    matches(/\{\{(?!\/\*)[\s\S]{0,300}?\}\}|\{%(?!\/\*)[\s\S]{0,300}?%\}/g, text).filter(({ text: all }) =>
      isReading(all),
    ),
  restructuredtext: (text, path) => readRst(text, path, false),
  sphinx: (text, path) => readRst(text, path, true),
  asciidoc: readAsciidoc,
  // In the text as it is written: these are put in before code is looked for.
  snippets: (text) => [
    ...matches(
      /^[ \t>*+\-\d.)]*-{1,}8<-{1,}[ \t]*(?:"([^"\n]{1,500})"|'([^'\n]{1,500})'|[^\n]*)/gm,
      text,
      asSnippet,
    ),
    ...matches(/\{!(?:[ \t]*([^\s!{}|]{1,500})[^\n]{0,300}?!\})?/g, text, asPage),
  ],
  'mkdocs code': (text) => [
    ...matches(/^[ \t>]*(?:`{3}|~{3})[^\n]*\bexec\b[^\n]*/gm, text),
    ...matches(/^[ \t>]*(?:`{3}|~{3})[^\n]*@from_file[^\n]*/gm, text),
  ],
  modules: (text) => matches(/^[ \t>]*:::[ \t]+[A-Za-z_][\w.:-]*[^\n]*(?:\n[ \t]+[^\n]*){0,50}/gm, text),
  mdbook: (text) => [
    ...matches(/(?<!\\)\{\{\s{0,100}#(?!title\b)\w{1,30}\s+([^\s}]{1,500})[^}\n]{0,300}\}\}/g, text, asPage),
    ...matches(/<!--\s*cmdrun[^\n]*/g, text),
  ],
  'embedded code': (text) => matches(/`(?:embed|code-file|import):[^`\n]{0,500}`/g, text),
  'live code': (text) =>
    readFences(text, (info) => /\s(?:live|preview|playground)(?=[\s=]|$)/.test(info)).map(run),
  // https://rspress.rs/guide/use-mdx/code-blocks and remark-code-import
  'code files': (text) =>
    matches(
      /^[ \t>*+\-\d.)]*(?:`{3}|~{3})[^\n]*?\sfile\s*=\s*["']?([^"'\s}]{1,500})[^\n]*/gm,
      text,
      (path) => (path.startsWith('<root') ? asSnippet(path.replace(/^<root\w*>\//i, '')) : asShown(path)),
    ),
  // https://mintlify.com/docs/api-playground/openapi-setup: most name an operation only.
  mintlify: (text) =>
    readKeys('openapi|asyncapi', text, (value) => ({
      ...asShown(value.split(/\s/, 1)[0]?.replace(/^\//, '') ?? ''),
      from: 'pages',
    })).filter((one) => /\.(?:json|ya?ml)\b|:\/\/|\.\./.test(one.text)),
  // https://quarto.org/docs/reference/formats/html.html
  quarto: (text) => [
    ...readKeys(
      'include-(?:in-header|(?:before|after)(?:-body)?)|header-includes|filters|shortcodes|engine|jupyter|template(?:-partials)?|metadata-files?|resources|format-resources|embed-resources|self-contained|(?:pre|post)-render|bibliography|csl|css',
      text,
      asShown,
    ),
    // https://quarto.org/docs/authoring/markdown-basics.html#raw-content
    ...[
      ...readFences(text, (info) => /^[`~ \t]*\{=/.test(info)).map(run),
      ...matches(/`[^`\n]{0,2000}`\{=\w{1,30}\}/g, text),
    ].filter((raw) => readHtml(raw.text).length > 0),
  ],
  // https://fumadocs.dev/docs/markdown/include
  fumadocs: (text) => [
    ...readFences(text, (info) => /\bdoc-gen:/.test(info)).map(run),
    ...matches(/<include(?![^>]{0,300}\bcwd\b)[^>]{0,300}>\s*([^<\n]{1,500}?)\s*<\/include>/gi, text, asPage),
    ...matches(
      /<include\b[^>]{0,300}\bcwd\b[^>]{0,300}>\s*([^<\n]{1,500}?)\s*<\/include>/gi,
      text,
      asSnippet,
    ),
    ...matches(/:{1,3}include\[([^\]\n]{1,500})\][^\n]{0,300}/g, text, asPage),
    ...matches(
      /<auto-?type-?table\b[^>]{0,500}?\bpath\s*=\s*["']([^"'\n]{1,500})["'][^>]{0,500}>/gi,
      text,
      asShown,
    ),
  ],
  // https://markdoc.dev/docs/partials
  markdoc: (text, path) =>
    matches(
      /\{%-?\s*(?:(?:include|partial|import|embed|snippet)\b|[\w-]{1,100}\s(?=[^%]{0,500}\bfile\s*=))(?:[^%]{0,500}?\bfile\s*=\s*["']([^"'\n]{1,500})["'])?[^%]{0,500}%\}/g,
      /\.(?:mdoc|markdoc)$/i.test(path) ? text : withoutShownCode(text),
      asPage,
    ),
  // https://content.nuxt.com/docs/files/markdown: any element can be written so.
  mdc: (text) =>
    matches(
      /(?<![\w:]):{1,6}(?:script|style|object|embed|base|frame|link|meta)(?![\w:-])[^\n]*/gi,
      withoutShownCode(text),
    ),
  // https://dotnet.github.io/docfx/docs/markdown.html
  docfx: (text) => [
    ...matches(/\[!video\s+(?:javascript|vbscript|data):[^\n]{0,300}/gi, asAddress(text)),
    ...matches(
      /\[!(?:include|code)[^[\]\n]{0,50}\[[^\]\n]{0,300}\]\(\s*<?([^\s)>"]{1,500})[^\n]{0,300}?\]|:::\s*code\b[^\n]{0,500}?\bsource\s*=\s*["']([^"'\n]{1,500})[^\n]*/gi,
      withoutShownCode(text),
      (path) => fromRoot(asShown(path.replace(/\?.*$/, '').replace(/^~(?=\/)/, ''))),
    ),
  ],
  // https://gitbook.com/docs/creating-content/blocks
  gitbook: (text) =>
    readTemplates(withoutShownCode(text)).flatMap(({ text: tag }): Directive[] => {
      const [, file] = /^\{%-?\s*include\s+["']([^"'\n]{1,500})["']\s*-?%\}$/.exec(tag) ?? [];
      if (file !== undefined && /^(?:\.\.\/)*(?:\.gitbook\/)?includes\/[\w-]+\.md$/.test(file)) return [];
      if (file !== undefined) return [{ text: tag, reads: asPage(file) }];
      return /^\{%-?\s*(?:include|import|extends|openapi|swagger|call|set|from)\b|^\{\{.*[(['"|]/.test(tag)
        ? [{ text: tag }]
        : [];
    }),
  // Ruby in a page runs before it is read as Markdown, in code too.
  erb: (text) => [
    ...matches(/<%[\s\S]{0,300}?%>|<%/g, text),
    ...matches(
      /^\uFEFF?(?:~~~|`{3}|###)[ \t]*<?ruby\b[\s\S]{0,20000}?(?:\n(?:~~~|`{3}|###)|$(?![\s\S]))/g,
      text,
    ),
    ...readKeys('template_engine', text),
  ],
  ejs: (text) => matches(/<%[\s\S]{0,300}?%>|<%/g, withoutShownCode(text)),
  slate: (text) => readKeys('includes', text).filter(({ text: block }) => /\.\.|[-:\s,["']\//.test(block)),
  // https://www.doxygen.nl/manual/commands.html
  doxygen: (text) => [
    ...matches(
      /(?<![\\@\w])[\\@](?:(?:html|latex|rtf|man|docbook|xml|verb|dont)?include(?:lineno|doc)?|snippet(?:lineno|doc)?|(?:dot|msc|dia|plantuml)file)\b(?:\{[^}\n]{0,100}\}|\[[^\]\n]{0,100}\])?[ \t]+(?:"([^"\n]{1,500})"|([^\s"]{1,500}))[^\n]*/g,
      withoutShownCode(text),
      (path) => ({ ...asShown(path), from: 'anywhere' }),
    ),
    ...matches(
      /(?<![\\@\w])[\\@]image\b(?:\{[^}\n]{0,100}\})?[ \t]+\w{1,20}[ \t]+(?:"([^"\n]{1,500})"|([^\s"]{1,500}))/g,
      withoutShownCode(text),
      (path) => ({ ...asShown(path), from: 'anywhere' }),
    ).filter(({ reads }) => !media.test(reads?.path ?? '')),
    ...matches(
      /(?<![\\@\w])[\\@](?:startuml|dot|msc)\b[\s\S]{0,5000}?(?:[\\@]end(?:uml|dot|msc)\b|$(?![\s\S]))/g,
      withoutShownCode(text),
    ).filter((diagram) => readingInside.test(diagram.text)),
  ],
} satisfies Record<string, (text: string, path: string) => Directive[]>;

/** The ways of writing directives that a build understands. */
export type Dialect = keyof typeof readers;
export const dialects = Object.keys(readers) as Dialect[];

function run(text: string): Directive {
  return { text };
}

/** @param find what one of them reads, of its first group that is there */
function matches(pattern: RegExp, text: string, find?: (path: string) => ReadFile | undefined): Directive[] {
  return Array.from(text.matchAll(pattern), ([whole, ...groups]) => {
    const path = groups.find((group) => group !== undefined);
    return { text: whole.trim(), reads: path === undefined ? undefined : find?.(path) };
  });
}

const asPage = (path: string): ReadFile => ({ path: withoutLines(path), from: 'page', isPage: true });
const asShown = (path: string): ReadFile => ({ path: withoutLines(path), from: 'page', isPage: false });
const asSnippet = (path: string): ReadFile => ({ path: withoutLines(path), from: 'anywhere', isPage: true });

/** Of `file.rs:1:20`, `file.ts#region{1,3}` and `file.md{1-10}`, the file. */
function withoutLines(path: string): string {
  return path.replace(/(?<=.)(?:[#{].{0,300}|(?::[\w.-]{0,100}){1,3})$/, '');
}

/** In front matter, and in blocks like it further below. @param keys as a pattern */
function readKeys(keys: string, text: string, find?: (value: string) => ReadFile | undefined): Directive[] {
  const blocks = withoutShownCode(text).matchAll(
    /^\uFEFF?---[ \t]*\r?\n[\s\S]{0,20000}?^(?:---|\.\.\.)[ \t]*\r?$/gm,
  );
  const entry = new RegExp(
    `(?:^|[{,])[ \\t?-]*(?:["']?(?:${keys})["']?|"[^"\\n]{0,100}\\\\[^"\\n]{0,100}")[ \\t]*(?::[ \\t]*(?:["']?([^\\s"'#[{|>&*!][^"'#\\n\\r]{0,500}?)["']?[ \\t]*\\r?$)?|$)[^\\n]*(?:\\n[ \\t-][^\\n]*){0,20}`,
    'gm',
  );
  return Array.from(blocks).flatMap(([block]) => matches(entry, block, find));
}

/** Where a slash begins at the folder of the pages. */
const fromRoot = (file: ReadFile): ReadFile =>
  file.path.startsWith('/') ? { ...file, path: file.path.slice(1), from: 'pages' } : file;

/** Docusaurus reads these as if there were no fence: https://docusaurus.io/docs/markdown-features/react#markdown-and-jsx-interoperability */
function unwrapMdx(text: string): string {
  const lines = text.split('\n');
  const open = new Map<string, number>();
  for (const [at, line] of lines.entries()) {
    if (!/^[ \t]*`{3,}mdx-code-block\b/.test(line)) continue;
    const end = endOfFence(lines, at, open);
    lines[at] = '';
    if (end !== undefined) lines[end - 1] = '';
  }
  return lines.join('\n');
}

/** Fences of code by what follows their marks, without what is quoted there. */
function readFences(text: string, isWanted: (info: string) => boolean): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const [, info] = /^[ \t>*+\-\d.)]*(?:`{3}|~{3})(.*)/.exec(line) ?? [];
    if (info === undefined || !isWanted(info.replace(/"[^"]*"|'[^']*'/g, ''))) return [];
    const length = lines
      .slice(at + 1, at + 200)
      .findIndex((one) => /^[ \t>]*(?:`{3,}|~{3,})[ \t]*\r?$/.test(one));
    return [lines.slice(at, at + (length < 0 ? 200 : length + 2)).join('\n')];
  });
}

const media =
  /\.(?:png|a?png|jpe?g|jfif|gif|svgz?|webp|avif|ico|bmp|tiff?|pdf|e?ps|drawio|mp[34]|webm|og[gv]|mov|\*)$/i;

/** Bundlers and Sphinx copy what an image names, whatever it is. Undefined: a picture, or one of another site. */
function readImage(page: string, text: string, name: string, from: ReadFile['from']): Directive | undefined {
  const path = decode(name.replace(/[?#].*$/, ''));
  if (path === '' || /^(?:\w[\w+.-]*:|\/\/|[{|<@~])/.test(path)) return undefined;
  if (media.test(path)) {
    const leaves = from === 'page' && posix.join(posix.dirname(page), path).startsWith('..');
    return leaves ? { text } : undefined;
  }
  const plain = path.replace(/[^\p{L}\p{N}_. @+/-]/gu, '_');
  return { text, reads: { path: plain, from, isPage: false, isChecked: true } };
}

function readImages(text: string, page: string): Directive[] {
  const images = text.matchAll(
    /!\[[^\]\n]{0,300}\]\(\s*<?([^\s)>]{1,500})|<img\b[^>]{0,500}?\bsrc\s*=\s*["']?([^\s"'>]{1,500})/gi,
  );
  return Array.from(images).flatMap(([whole, one, other]) => {
    const name = one ?? other ?? '';
    return /(?:^|[/\\])\./.test(decode(name)) ? (readImage(page, whole, name, 'page') ?? []) : [];
  });
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Handlers in lists of attributes, as attr_list, kramdown and markdown-it-attrs read them. */
const attributes = /\{:?[^{}\n]{0,500}?(?<![\w-])on[a-z]{3,40}\s*=[^{}\n]{0,500}\}?/gi;

/** Elements that run something in the reader's browser. */
function readHtml(text: string): Directive[] {
  return [
    // Front matter by which VitePress and Starlight put elements into a page.
    ...matches(
      /^head:[ \t]*(?:\r?\n[ \t-][^\n]*|\S[^\n]*){1,50}/gm,
      /^\uFEFF?---\r?\n/.test(text) ? text.slice(0, 4_000) : '',
    ),
    ...matches(/<(?:script|object|embed|base|applet|frame|portal)\b[^>]{0,1000}>?/gi, text),
    ...matches(/<meta\b[^>]{0,500}http-equiv[^>]{0,500}>?/gi, text),
    ...matches(/<[a-z][^<>]{0,1000}?[\s"'/]on[a-z]{3,40}\s*=[^<>]{0,500}/gi, text),
    ...matches(attributes, text),
    // https://kramdown.gettalong.org/options.html: a file.
    ...matches(/\{::options\b[^}\n]{0,500}\btemplate\b[^}\n]{0,500}\}?/g, text),
    ...matches(/<[a-z][^<>]{0,1000}?\bsrcdoc\s*=[^<>]{0,500}/gi, text),
    ...matches(scriptAddress, asAddress(text)),
  ];
}

/** Browsers leave tabs and ends of lines out of an address. */
const spaced = (word: string) => [...word].join('[\\t\\r\\n]{0,9}');
const scriptAddress = new RegExp(
  `(?:\\(\\s*<?|=\\s*["']?\\s*|\\]:\\s*<?)(?:${spaced('javascript')}|${spaced('vbscript')}|data\\s*:\\s*text/html)\\s*[:,;][^\\n]{0,300}`,
  'gi',
);

/** With entities resolved. */
function asAddress(text: string): string {
  return text
    .replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));?/gi, (_all, hex: string | undefined, decimal: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code < 0x80 ? String.fromCharCode(code) : ' ';
    })
    .replace(/&(?:colon|tab|newline);/gi, (name) => (/colon/i.test(name) ? ':' : '\t'));
}

/** https://vitepress.dev/guide/using-vue and https://vitepress.dev/guide/markdown#import-code-snippets */
function readVue(text: string, path: string): Directive[] {
  const shown = isText(path) ? text : withoutShownCode(text, (language) => /-vue\b/.test(language));
  return [
    ...matches(/\{\{[\s\S]{0,300}?\}\}|\{\{/g, shown),
    ...matches(
      /<(?:script|style|template)\b[^>]{0,500}>?(?:[\s\S]{0,20000}?<\/(?:script|style|template)>)?/gi,
      shown,
    ),
    ...matches(attributes, shown),
    ...matches(/<[A-Za-z][^<>]{0,1000}?[\s"'/](?:v-[a-z]|[:@#][A-Za-z[])[^<>]{0,500}/g, shown),
    // Put in before code is looked for.
    ...matches(/<!--[ \t]*@include:[ \t]*(\S{1,500}?)[ \t]*-->/g, text, (path) => fromTop(asPage(path))),
    ...matches(
      /^[ \t>*+\-\d.)]*(?:<<<|@\[code[^\]\n]{0,100}\]\()[ \t]*([^\s)]{1,500})[^\n]{0,300}/gm,
      shown,
      (path) => fromTop(asShown(path)),
    ),
  ];
}

/** `@/` is the folder of the pages. */
function fromTop(file: ReadFile): ReadFile {
  return file.path.startsWith('@/') ? { ...file, path: file.path.slice(2), from: 'pages' } : file;
}

/** Expressions and tags of Jinja, Nunjucks and Liquid, in code too; what is between "raw" and "endraw" is text. */
function readTemplates(text: string): Directive[] {
  const found: Directive[] = [];
  const open = /\{[{%#]/g;
  for (let match = open.exec(text); match; match = open.exec(text)) {
    const rest = text.slice(match.index, match.index + 20_000);
    const raw = /^\{%-?\s*(raw|verbatim)\s*-?%\}[\s\S]*?\{%-?\s*end\1\s*-?%\}/.exec(rest);
    // A heading may be named so, and a link: {#start}, {%20}.
    const isName = /^\{#[\w.: -]{1,100}\}/.test(rest);
    const whole = /^\{\{[\s\S]{0,300}?\}\}|^\{%[\s\S]{0,300}?%\}/.exec(rest)?.[0] ?? rest.slice(0, unclosed);
    if (!raw && !isName) found.push({ text: whole });
    open.lastIndex = match.index + (raw?.[0] ?? whole).length;
  }
  return found;
}

/** Tags of Jekyll that only choose, repeat and link: https://jekyllrb.com/docs/liquid/tags/ */
const plainTags =
  /^(?:end)?(?:if|unless|elsif|else|case|when|for|break|continue|cycle|tablerow|assign|capture|increment|decrement|highlight|link|post_url|raw)\b/;

function readLiquid(text: string): Directive[] {
  return readTemplates(text).flatMap(({ text: tag }) => {
    const [, inside] = /^\{%-?\s*([\s\S]*?)\s*-?%\}$/.exec(tag) ?? [];
    // What is shown is a value.
    if (tag.startsWith('{{') || tag.startsWith('{#')) return [];
    if (inside !== undefined && plainTags.test(inside)) return [];
    const [, name = '', path = ''] =
      /^(include|include_cached|include_relative)\s+([\w./-]{1,300})(?!\S)/.exec(inside ?? '') ?? [];
    if (path === '') return [{ text: tag }];
    const file: ReadFile =
      name === 'include_relative'
        ? asPage(path)
        : { path: `_includes/${path}`, from: 'pages', isPage: false };
    return [{ text: tag, reads: file }];
  });
}

/** By its name, and by what it is given: an address, or a path that may lead out of the site. */
function isReading(call: string): boolean {
  const [, name = ''] = /^\{[{%][<%-]?\s*\/?\s*([\w./-]+)/.exec(call) ?? [];
  return (
    /read|include|file|import|embed|csv|json|yaml|data|remote|fetch|http|openapi|swagger|render|partial|exec|shell|\benv|inline|snippet|source/i.test(
      name,
    ) || /["'\s=(](?:\/|\.\.\/|~|\w+:\/\/)|\.\.\//.test(call)
  );
}

/** https://gohugo.io/content-management/shortcodes/: those that link, show or embed by an identifier read nothing. */
const plainShortcodes =
  /^\{\{[<%]-?\s*\/?\s*(?:ref|relref|figure|highlight|youtube|vimeo|gist|tweet|x|instagram|param|details|qr)\b/;

function readShortcodes(text: string): Directive[] {
  return matches(/\{\{[<%](?!\/\*)[\s\S]{0,500}?[%>]\}\}/g, text).flatMap(({ text: call }): Directive[] => {
    if (plainShortcodes.test(call) || !isReading(call)) return [];
    const isClosing = /^\{\{[<%]-?\s*\//.test(call);
    const [, quoted, plain] =
      /^\{\{[<%]-?\s*[\w/-]+\s+(?:(?:file|path|src)\s*=\s*)?(?:["`]([^"`\s]{1,300})["`]|([\w./-]{1,300}))/.exec(
        call,
      ) ?? [];
    if (isClosing && !/inline/.test(call)) return [];
    return [{ text: call, reads: quoted || plain ? asPage(quoted ?? plain ?? '') : undefined }];
  });
}

/** Of Sphinx, docutils and their extensions: what runs, imports, or asks another program. */
const running =
  /^(?:auto(?!number|sectionlabel)\w*|jupyter[\w-]*|thebe[\w-]*|ipython|ipythonconsole|code-cell|execute_code|exec|exec_code|eval|run|runblock|shell|command-output|program-output|plot|pyvista-plot|altair-plot|bokeh-plot|argparse|click|typer|doctest|testcode|testsetup|testcleanup|ifconfig|inheritance-diagram|needs\w*|raw|jinja|datatemplate[\w:.-]*|exceltable|xmltable|openapi|swaggerv2doc|remote[\w-]*|rli|anywidget|bundle|gallery|minigallery|nbgallery|doxygen\w*)$/i;
/** These read the file that they name. */
const reading =
  /^(?:(?:rst-)?include|literalinclude|code-include|csv-table|graphviz|digraph|graph|uml|plantuml|mermaid|kroki|diagrams?|bibliography|video|audio|drawio-\w+|yaml|json|jsonschema|asciinema|raw-include|md-include|mdinclude|markdown-include)$/i;
const asText = /^(?:(?:rst-)?include|md-?include|markdown-include)$/i;
/** In the text of diagrams, formulas and tables. */
const readingInside =
  /^[ \t]*:?(?:file|url|diff|src|filename|csv|spec)["']?[ \t]*:[ \t]*\S|!(?:include|import|theme)\w*|%(?:load_json|getenv|file_exists|dirpath)|\b(?:image|imagepath|shapefile|fontpath)[ \t]*=|\\(?:input|include|verbatiminput|lstinputlisting|write18|openin|openout|catcode|csname)\b/m;

/** https://www.sphinx-doc.org and https://myst-parser.readthedocs.io, also where one stands in the other. */
function readRst(text: string, path: string, isSphinx: boolean): Directive[] {
  const shown = isMarkdown(path)
    ? withoutShownCode(text, (language) => /^[:{](?!(?:code|code-block|sourcecode)\})/.test(language))
    : text;
  const lines = shown.split('\n');
  const found: Directive[] = [];
  for (const [index, line] of lines.entries()) {
    const rst =
      /(?<!\S)(\.\.[ \t]+(?:\|[^|\n]{1,200}\|[ \t]+)?)([A-Za-z][\w:.+-]{0,100}?)[ \t]?::(?:[ \t]+([^\r\n]*))?/.exec(
        line,
      );
    const myst = /(?:^|[\s>])(?:`{3,}|~{3,}|:{3,})[ \t]*\{([\w:.+-]{1,100})\}(?:[ \t]+([^\r\n]*))?/.exec(
      line,
    );
    const [name, argument] = myst ? [myst[1] ?? '', myst[2] ?? ''] : [rst?.[2] ?? '', rst?.[3] ?? ''];
    if (name === '') continue;
    const block = [line, ...blockBelow(lines, index, myst !== null)].join('\n').trim();
    const directive = judgeDirective(path, {
      isSphinx,
      name: name.replace(/^.*:(?=\w)/, ''),
      argument: argument.trim(),
      block,
    });
    if (directive) found.push(directive);
  }
  const links = /(?::download:|\{download\})`(?:[^`<\n]{0,300}<([^`>\n]{1,300})>|([^`<\n]{1,300}))`/g;
  return [
    ...found,
    // In Markdown these are written as code.
    ...matches(links, text, (name) => {
      const isChecked = extname(path) === '.rst' && !ofMachine.test(name);
      return isSphinx ? { ...asRst(name), isChecked } : asShown(name);
    }),
    // Roles that run code, and formulas that read files.
    ...matches(/(?::(?:eval|raw[\w-]*):|\{(?:eval|raw)(?:[:-]\w+)?\})`[^`\n]{0,500}`/g, text).filter(
      (one) => !plainRaw.test(one.text),
    ),
    ...matches(/(?::math:|\{math\})`[^`\n]{0,500}`|\$\$[^$]{0,2000}\$\$/g, text).filter((one) =>
      /\\(?:input|include|verbatiminput|lstinputlisting|write18|openin|openout|catcode|csname)\b/.test(
        one.text,
      ),
    ),
    ...matches(/[<:}][ \t]*(?:javascript|vbscript):\S[^\n]{0,300}/gi, shown),
    // Roles that put raw text into a page, and metadata that leads elsewhere.
    ...matches(/^[ \t]*\.\.[ \t]+role::[^\n]*\braw\b[^\n]*/gm, shown),
    ...matches(/^[^\n]*\bhttp-equiv=?[^\n]*/gim, shown.replace(/<[^<>\n]*>/g, '')),
    ...matches(
      /^(?:file_format|mystnb|execution_mode|kernelspec|jupytext)[ \t]*:[^\n]*(?:\n[ \t][^\n]*){0,20}/gm,
      isMarkdown(path) ? shown : '',
    ),
  ];
}

/** What people write so: `:raw-html:` with a line break. */
const plainRaw = /`(?:<\/?(?:br|hr|wbr|su[bp]|kbd|b|i|u|em|strong|small|del|mark) ?\/?>|&\w+;)`$/;

/** Folders that a machine has, and hardly a site. */
const ofMachine =
  /^\/+(?:bin|boot|dev|etc|home|lib\w*|mnt|opt|private|proc|root|run|s?bin|srv|sys|tmp|usr|users|var|windows)\//i;

/** In Sphinx, a slash begins at the folder of the pages. */
const asRst = (path: string): ReadFile => ({
  ...asShown(path.replace(/^\/+/, '')),
  from: path.startsWith('/') ? 'pages' : 'page',
});

function judgeDirective(
  page: string,
  { isSphinx, name, argument, block }: { isSphinx: boolean; name: string; argument: string; block: string },
): Directive | undefined {
  if (running.test(name)) return { text: block };
  if (/^(?:image|figure)$/.test(name)) {
    const [from, path] =
      isSphinx && argument.startsWith('/')
        ? (['pages', argument.slice(1)] as const)
        : (['page', argument] as const);
    const image = readImage(page, block, path, from);
    if (image) return image;
  }
  if (!reading.test(name))
    return readingInside.test(block) &&
      /^(?:math|figure|image|table|list-table)$/i.test(name) &&
      /\\|!|%/.test(block)
      ? { text: block }
      : undefined;
  const [, option] =
    /^[ \t]*:?(?:file|diff)["']?[ \t]*:[ \t]*["']?(\S{1,300}?)["']?[ \t]*$/m.exec(block) ?? [];
  const path = /table$/.test(name) ? option : argument;
  const isOther = readingInside.test(block.replace(/^[ \t]*:?file["']?[ \t]*:[^\n]*$/m, ''));
  if (isOther || /:parser:/.test(block)) return { text: block };
  if (path === undefined || path === '') return undefined;
  // Graphs are often written in the page, below a name.
  if (/^(?:di)?graph$/.test(name)) return undefined;
  const isPage = asText.test(name) && !/:(?:literal|code):/.test(block);
  const isChecked =
    extname(page) === '.rst' && /^(?:include|literalinclude)$/.test(name) && !ofMachine.test(path);
  const file = isSphinx ? { ...asRst(path), isChecked } : asShown(path);
  return { text: block, reads: { ...file, isPage } };
}

/** Lines that belong to a directive: those that are indented, or up to the end of the fence. */
function blockBelow(lines: readonly string[], index: number, isFenced: boolean): string[] {
  const below: string[] = [];
  for (const line of lines.slice(index + 1, index + 100)) {
    if (
      isFenced
        ? /^[ \t>]*(?:`{3,}|~{3,}|:{3,})[ \t]*$/.test(line)
        : line.trim() !== '' && indentOf(line) <= indentOf(lines[index] ?? '')
    )
      break;
    below.push(line);
  }
  return below;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** https://docs.asciidoctor.org/asciidoc/latest/directives/include/, in code too */
function readAsciidoc(text: string): Directive[] {
  const raw = [
    ...text.matchAll(
      /^\+{4}[ \t]*\r?\n[\s\S]*?^\+{4}[ \t]*\r?$|\+{3}[^\n]*?\+{3}|pass:[\w,]*\[[^\]\n]*\]|^\[pass\b[^\]\n]*\][ \t]*\r?\n[\s\S]{0,5000}/gm,
    ),
  ];
  return [
    // Also at the beginning of a cell of a table, and under a condition on the same line.
    ...matches(
      /(?:^|(?<=\|)[ \t]*|^ifn?def::[^[\n]{0,300}\[)include::([^[\n]{0,500})\[[^\n]*/gm,
      text,
      asAsciidoc,
    ).filter((one) => !isOfModule.test(one.text)),
    ...matches(
      /^(?:plantuml|graphviz|diagram|ditaa|mermaid|vega|vegalite|kroki|svgbob|blockdiag|wavedrom|bpmn|excalidraw)::([^[\n]{1,500})\[[^\n]*/gm,
      text,
      asShown,
    ),
    ...matches(/^[^\n]*(?:!(?:include|import)\w*[ \t]|%(?:load_json|getenv))[^\n]*/gm, text),
    ...matches(
      /^:!?(?:allow-uri-read|docinfo\w*|data-uri|stylesheet|scriptsdir|stylesdir|webfonts|kroki-\w[\w-]*|plantuml-\w[\w-]*)!?:[^\n]*/gm,
      text,
    ),
    ...matches(/^image::(?:\/|\.\.\/|[^[\n]*\/\.\.\/)[^[\n]*\[[^\n]*\binline\b[^\n]*/gm, text),
    ...matches(/\blink\s*[:=]\s*["']?(?:\+\+)?(?:javascript|vbscript|data):[^\n]{0,300}/gi, text),
    ...matches(/^[^\n]*\b(?:shapefile|imagepath|fontpath)[ \t]*=[^\n]*/gm, text),
    ...raw.flatMap(([part]) => readHtml(part).map(() => ({ text: part }))),
  ];
}

/** In Antora, these lead into a module of the site. */
const isOfModule =
  /^(?:ifn?def::[^[]*\[)?include::(?:[\w.-]+:)?(?:partial|example|page|attachment|image)\$(?:(?!\.\.)[\w./-])+\[/;

function asAsciidoc(path: string): ReadFile | undefined {
  return /^[\w./ -]+$/.test(path) ? asPage(path) : undefined;
}

/** What begins HTML that a fence and backticks mean nothing in. */
const htmlLine = /^[\s>*+\-\d.)]*<(?![a-z][a-z\d+.-]*:|[^\s<>@]+@)/i;
/** More than any page has that people read. */
const maxLength = 400_000;
/** HTML that goes on over empty lines. */
const longHtml = /^[\s>*+\-\d.)]*<(pre|script|style|textarea|!--|\?|!)/i;

/**
 * A page of Markdown with spaces in place of code that it surely shows. Generators differ in where code ends: what cannot be
 * distinguished from text counts as text.
 *
 * @param runs whether a fence of this language is run instead of shown
 */
function withoutShownCode(text: string, runs: (language: string) => boolean = () => false): string {
  if (text.length > maxLength) return text;
  const lines = text.split('\n');
  const whole = findWholeParagraphs(lines);
  const out: string[] = [];
  let until: RegExp | undefined;
  let isHtml = false;
  const open = new Map<string, number>();
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').replace(/\r$/, '');
    if (line.trim() === '') isHtml = false;
    if (until !== undefined) {
      if (until.test(line)) until = undefined;
      out.push(line);
      continue;
    }
    const end = !isHtml && isFence(line) ? endOfFence(lines, at, open) : undefined;
    const [, language = ''] = /^[ \t]*(?:`{3,}|~{3,})[ \t]*([^\r\n]*)$/.exec(line) ?? [];
    if (end !== undefined) {
      const inside = lines.slice(at, end);
      if (!runs(language)) out.push(...inside.map((shown) => ' '.repeat(shown.length)));
      // What a directive of MyST holds is Markdown again.
      else if (/^[:{]/.test(language))
        out.push(line, withoutShownCode(inside.slice(1, -1).join('\n'), runs), ...inside.slice(-1));
      else out.push(...inside);
      at = end - 1;
      continue;
    }
    if (htmlLine.test(line)) isHtml = true;
    const [, tag] = longHtml.exec(line) ?? [];
    if (tag !== undefined) {
      const close = endOf(tag.toLowerCase());
      if (!close.test(line)) until = close;
    }
    out.push(isHtml || !whole[at] ? line : withoutSpans(line));
  }
  return out.join('\n');
}

function endOf(tag: string): RegExp {
  if (tag === '!--') return /-->/;
  if (tag === '?') return /\?>/;
  return tag === '!' ? />/ : new RegExp(`</${tag}>`, 'i');
}

/** For each line whether all lines of its paragraph have spans that end on them: otherwise one may go over lines. */
function findWholeParagraphs(lines: readonly string[]): boolean[] {
  const whole: boolean[] = [];
  for (let start = 0; start < lines.length; ) {
    let end = start + 1;
    while (end < lines.length && lines[end]?.trim() !== '') end += 1;
    const isWhole = lines
      .slice(start, end)
      .every((line) => !line.includes('`') || skipText(line, 0, { stops: '', hasSpans: true }) !== undefined);
    for (; start < end; start += 1) whole.push(isWhole);
  }
  return whole;
}

function withoutSpans(line: string): string {
  let out = '';
  for (let from = 0; from < line.length; ) {
    const tick = nextTick(line, from);
    const [run = ''] = /^`+/.exec(line.slice(tick)) ?? [];
    if (run === '') return out + line.slice(from);
    const close = findRun(line.slice(tick + run.length), run.length);
    const end = close === undefined ? line.length : tick + run.length + close + run.length;
    out += line.slice(from, tick) + ' '.repeat(end - tick);
    from = end;
  }
  return out;
}

function nextTick(line: string, from: number): number {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === '`') return at;
  }
  return line.length;
}
