import type { Dialect } from './directives/directives.ts';

/** A program that makes pages of files, and what it does with them besides: known before anything of the repository is read. */
export interface Builder {
  name: string;
  /** Its settings, by their name; `text` must be in them where the name alone could be another program's. */
  settings: RegExp;
  text?: RegExp;
  /** Names of settings that no other program has, where others of them are shared. */
  ownName?: RegExp;
  /** Where its pages are, seen from the folder of its settings. @param settings their text */
  findPages: (settings: string) => string;
  /** Which files are programs: those that it compiles as MDX. */
  mdx: (settings: string) => RegExp;
  /** What in its pages runs code or reads files. */
  directives: (settings: string) => readonly Dialect[];
}

/** What documentation is made with. */
export interface Framework extends Builder {
  /** Where links and redirects begin, where the settings say so: '' or '/docs'. */
  findBase?: (settings: string) => string;
  /** Files that list the pages, from the folder of the settings, or of the pages: the first that are there. */
  navigation: RegExp;
  /** What the pages are written in. */
  formats: string;
}

const mdxOnly = () => /\.mdx$/i;
const mdxAndMarkdown = () => /\.(mdx?|markdown|mkd|mdown)$/i;
const noMdx = () => /$^/;
/** Where settings say it of their pages: `extensions: ['.mdx', '.md']`, `pageExtensions: ['md']`, `extension: /\.mdx?$/`. */
const mdxWhereNamed = (settings: string) =>
  /["'`]\.?md["'`]|mdx\?/.test(settings) ? mdxAndMarkdown() : mdxOnly();

/** @param patterns what the settings hold where a build has the dialect */
const where = (settings: string, patterns: Partial<Record<Dialect, RegExp>>) =>
  (Object.keys(patterns) as Dialect[]).filter((dialect) => patterns[dialect]?.test(settings));

/** The value of `key: '…'` in settings that are a program, which nobody runs here. */
function settingOf(key: string, settings: string): string | undefined {
  return new RegExp(`(?:^|[\\s{,])["']?${key}["']?[ \\t]*[:=][ \\t]*["'\`]([^"'\`\\n]{1,300})["'\`]`).exec(
    settings,
  )?.[1];
}

/** The same in YAML, without quotes. */
function yamlSettingOf(key: string, settings: string): string | undefined {
  return new RegExp(`^${key}:[ \\t]*["']?([^"'#\\n]{1,300}?)["']?[ \\t]*\\r?$`, 'm').exec(settings)?.[1];
}

const trim = (address: string | undefined) => (address ?? '').replace(/^(?:\.?\/)+|\/+$/g, '');
const toBase = (address: string | undefined) => (trim(address) === '' ? '' : `/${trim(address)}`);

/** In the order in which they are looked for: where two fit, the first is what the other is used by. */
export const frameworks: readonly Framework[] = [
  {
    name: 'Mintlify',
    settings: /(^|\/)(docs|mint)\.json$/,
    text: /"navigation"\s*:/,
    findPages: () => '',
    navigation: /^(docs|mint)\.json$/,
    formats: 'MDX',
    mdx: mdxAndMarkdown,
    directives: () => ['html', 'mintlify'],
  },
  {
    name: 'Docusaurus',
    settings: /(^|\/)docusaurus\.config\.[cm]?[jt]s$/,
    findPages: (settings) => docsPath(settings) ?? 'docs',
    findBase: (settings) =>
      toBase(
        `${trim(settingOf('baseUrl', settings))}/${trim(settingOf('routeBasePath', docsOptions(settings) ?? settings) ?? 'docs')}`,
      ),
    navigation: /^sidebars?\.([cm]?[jt]s|json)$/,
    formats: 'MDX, also in .md files',
    // https://docusaurus.io/docs/api/docusaurus-config#markdown
    mdx: (settings) =>
      /\bformat["']?\s*:\s*["'`](?:detect|md)["'`]/.test(settings) ? mdxOnly() : mdxAndMarkdown(),
    directives: (settings) => ['html', 'live code', ...where(settings, { 'code files': /code-import/ })],
  },
  {
    name: 'Astro Starlight',
    settings: /(^|\/)astro\.config\.[cm]?[jt]s$/,
    text: /@astrojs\/starlight/,
    findPages: () => 'src/content/docs',
    findBase: (settings) => toBase(settingOf('base', settings)),
    navigation: /^astro\.config\.[cm]?[jt]s$/,
    formats: 'Markdown, and MDX in .mdx files',
    mdx: mdxOnly,
    directives: () => ['html', 'markdoc'],
  },
  {
    name: 'VitePress',
    settings: /(^|\/)\.vitepress\/config(\/index)?\.[cm]?[jt]s$/,
    findPages: (settings) => trim(settingOf('srcDir', settings)),
    findBase: (settings) => toBase(settingOf('base', settings)),
    navigation: /^\.vitepress\/config(\/index)?\.[cm]?[jt]s$/,
    formats: 'Markdown with Vue',
    mdx: noMdx,
    directives: () => ['html', 'vue'],
  },
  {
    name: 'Nextra',
    settings: /(^|\/)next\.config\.[cm]?[jt]s$/,
    text: /\bnextra\b/,
    findPages: () => 'content',
    findBase: (settings) => toBase(settingOf('basePath', settings)),
    navigation: /(^|\/)_meta\.([jt]sx?|json)$/,
    formats: 'MDX',
    mdx: mdxAndMarkdown,
    directives: () => ['html'],
  },
  {
    name: 'MkDocs',
    settings: /(^|\/)mkdocs\.ya?ml$/,
    findPages: (settings) => trim(yamlSettingOf('docs_dir', settings) ?? 'docs'),
    findBase: (settings) => toBase(URL.parse(yamlSettingOf('site_url', settings) ?? '')?.pathname),
    navigation: /^mkdocs\.ya?ml$/,
    formats: 'Markdown of Python-Markdown',
    mdx: noMdx,
    directives: (settings) => [
      ...(['html', 'mkdocs code'] as const),
      ...where(settings, {
        snippets: /snippets|markdown[_-]include/,
        templates: /macros|jinja|table-reader|markdownextradata|include-markdown/,
        modules: /mkdocstrings|mkdocs-(click|typer)/,
      }),
    ],
  },
  {
    name: 'Hugo',
    settings:
      /(^|\/)(hugo|config)\.(toml|ya?ml|json)$|(^|\/)config\/_default\/(hugo|config)\.(toml|ya?ml|json)$/,
    ownName: /(^|\/)hugo\.\w+$/,
    text: /^[ \t]*["']?(baseURL|languageCode|theme|module|contentDir)["']?\s*[:=]/im,
    findPages: (settings) =>
      trim(settingOf('contentDir', settings) ?? yamlSettingOf('contentDir', settings) ?? 'content'),
    findBase: (settings) =>
      toBase(URL.parse(settingOf('baseURL', settings) ?? yamlSettingOf('baseURL', settings) ?? '')?.pathname),
    navigation: /^(hugo|config)\.(toml|ya?ml|json)$/,
    formats: 'Markdown with shortcodes',
    mdx: noMdx,
    directives: (settings) => [
      ...(['hugo', 'restructuredtext', 'asciidoc'] as const),
      ...where(settings, { html: /\bunsafe["']?\s*[:=]\s*true/ }),
    ],
  },
  {
    name: 'Jekyll',
    settings: /(^|\/)_config\.ya?ml$/,
    text: /^[ \t]*(theme|remote_theme|plugins|gems|permalink|baseurl|collections|markdown|kramdown|exclude|defaults)[ \t]*:/m,
    findPages: () => '',
    findBase: (settings) => toBase(yamlSettingOf('baseurl', settings)),
    navigation: /^_data\/nav(igation)?\.ya?ml$/,
    formats: 'Markdown with Liquid',
    mdx: noMdx,
    directives: () => ['html', 'liquid'],
  },
  {
    name: 'Sphinx',
    settings: /(^|\/)conf\.py$/,
    text: /^[ \t]*(extensions|project|html_theme)\s*=/m,
    findPages: () => '',
    navigation: /^index\.(rst|md)$/,
    formats: 'reStructuredText, and Markdown in .md files',
    mdx: noMdx,
    directives: (settings) => ['html', 'sphinx', ...where(settings, { substitutions: /substitution/ })],
  },
];

/** What makes pages as well, though not mainly documentation: what pages hold is judged by it. */
const otherBuilders: readonly Omit<Builder, 'findPages'>[] = [
  {
    name: 'Astro',
    settings: /(^|\/)astro\.config\.[cm]?[jt]s$/,
    mdx: mdxOnly,
    directives: () => ['html', 'markdoc'],
  },
  {
    name: 'Next.js',
    settings: /(^|\/)next\.config\.[cm]?[jt]s$/,
    mdx: mdxWhereNamed,
    directives: (settings) => ['html', ...where(settings, { markdoc: /markdoc/ })],
  },
  {
    name: 'Gatsby',
    settings: /(^|\/)gatsby-config\.[cm]?[jt]s$/,
    mdx: mdxWhereNamed,
    directives: () => ['html', 'embedded code'],
  },
  {
    name: 'VuePress',
    settings: /(^|\/)\.vuepress\/config\.[cm]?[jt]s$/,
    mdx: noMdx,
    directives: () => ['html', 'vue'],
  },
  {
    name: 'Docsify',
    settings: /(^|\/)index\.html$/,
    text: /docsify/i,
    mdx: noMdx,
    directives: () => ['html', 'docsify'],
  },
  {
    name: 'Eleventy',
    settings: /(^|\/)(\.eleventy|eleventy\.config)\.[cm]?[jt]s$/,
    mdx: mdxOnly,
    directives: () => ['html', 'templates'],
  },
  {
    name: 'Eleventy',
    settings: /(^|\/)package\.json$/,
    text: /"@11ty\/eleventy"/,
    mdx: mdxOnly,
    directives: () => ['html', 'templates'],
  },
  {
    name: 'Rspress',
    settings: /(^|\/)rspress\.config\.[cm]?[jt]s$/,
    mdx: mdxAndMarkdown,
    directives: () => ['html', 'live code', 'code files'],
  },
  {
    name: 'Fumadocs',
    settings: /(^|\/)source\.config\.[cm]?[jt]s$/,
    text: /fumadocs/,
    mdx: mdxAndMarkdown,
    directives: () => ['html', 'fumadocs'],
  },
  {
    name: 'Zensical',
    settings: /(^|\/)zensical\.toml$/,
    mdx: noMdx,
    directives: (settings) => [
      ...(['html', 'snippets', 'mkdocs code', 'modules'] as const),
      ...where(settings, { templates: /macros|jinja/ }),
    ],
  },
  {
    name: 'Quarto',
    settings: /(^|\/)_quarto\.ya?ml$/,
    mdx: noMdx,
    directives: () => ['html', 'hugo', 'quarto'],
  },
  {
    name: 'Hexo',
    settings: /(^|\/)_config\.ya?ml$/,
    text: /hexo|^source_dir:|^skip_render:/im,
    mdx: noMdx,
    directives: () => ['html', 'templates', 'ejs'],
  },
  {
    name: 'Antora',
    settings: /(^|\/)antora(-playbook)?\.ya?ml$/,
    mdx: noMdx,
    directives: () => ['html', 'asciidoc'],
  },
  {
    name: 'mdBook',
    settings: /(^|\/)book\.toml$/,
    mdx: noMdx,
    directives: () => ['html', 'mdbook'],
  },
  {
    name: 'Jupyter Book',
    settings: /(^|\/)(_config|myst)\.ya?ml$/,
    text: /^(sphinx|execute|parse|project|site)[ \t]*:/m,
    mdx: noMdx,
    directives: () => ['html', 'sphinx', 'substitutions'],
  },
  {
    name: 'Zola',
    settings: /(^|\/)(config|zola)\.toml$/,
    text: /^[ \t]*(base_url|compile_sass|build_search_index)[ \t]*=/m,
    mdx: noMdx,
    directives: () => ['html', 'zola'],
  },
  {
    name: 'Pelican',
    settings: /(^|\/)pelicanconf\.py$/,
    mdx: noMdx,
    directives: (settings) => [
      ...(['html', 'restructuredtext'] as const),
      ...where(settings, { templates: /jinja|liquid/i, snippets: /markdown[_-]include|snippets/ }),
    ],
  },
  {
    name: 'Nuxt Content',
    settings: /(^|\/)(nuxt|content|docus)\.config\.[cm]?[jt]s$/,
    text: /\bcontent\b|docus/i,
    mdx: noMdx,
    directives: () => ['html', 'mdc'],
  },
  {
    name: 'DocFX',
    settings: /(^|\/)docfx\.json$/,
    mdx: noMdx,
    directives: () => ['html', 'docfx'],
  },
  {
    name: 'GitBook',
    settings: /(^|\/)\.gitbook\.ya?ml$/,
    mdx: noMdx,
    directives: () => ['html', 'gitbook'],
  },
  {
    name: 'HonKit',
    settings: /(^|\/)book\.js(on)?$/,
    mdx: noMdx,
    directives: () => ['html', 'templates'],
  },
  {
    name: 'Bridgetown',
    settings: /(^|\/)(bridgetown\.config\.ya?ml|config\/initializers\.rb)$/,
    mdx: noMdx,
    directives: () => ['html', 'liquid', 'erb'],
  },
  {
    name: 'Middleman',
    settings: /(^|\/)config\.rb$/,
    text: /\b(activate|set|page|configure)\b[ (]*:|middleman/,
    mdx: noMdx,
    directives: () => ['html', 'slate'],
  },
  {
    name: 'Lume',
    settings: /(^|\/)_config\.[jt]s$/,
    text: /lume/,
    mdx: noMdx,
    directives: () => ['html', 'templates'],
  },
  {
    name: 'Doxygen',
    settings: /(^|\/)[\w.-]*doxy(file|gen)[\w.-]*$/i,
    text: /^[ \t]*(PROJECT_NAME|INPUT|GENERATE_HTML)\b/m,
    mdx: noMdx,
    directives: () => ['html', 'doxygen'],
  },
];

export const builders: readonly Builder[] = [
  ...frameworks,
  ...otherBuilders.map((builder) => ({ ...builder, findPages: () => '' })),
];

/** What is left where no framework is known: files that a code host shows. */
export const plainMarkdown: Framework = {
  name: 'plain Markdown',
  settings: /$^/,
  findPages: () => '',
  navigation: /^(SUMMARY|_sidebar|toc)\.(md|ya?ml)$/i,
  formats: 'Markdown',
  mdx: mdxOnly,
  directives: () => [],
};

/** Of the plugin that reads documentation. */
function docsOptions(settings: string): string | undefined {
  const docs = /\bdocs["']?[ \t]*:[ \t]*\{/.exec(settings);
  const options = docs ? settings.slice(docs.index, docs.index + 1_000).split('}')[0] : undefined;
  return options?.includes('routeBasePath') ? options : undefined;
}

/** `path` of the plugin that reads documentation; its other plugins have one, too. */
function docsPath(settings: string): string | undefined {
  const docs = /\bdocs["']?[ \t]*:[ \t]*\{/.exec(settings);
  return docs
    ? trim(settingOf('path', settings.slice(docs.index, docs.index + 1_000).split('}')[0] ?? '')) || undefined
    : undefined;
}
