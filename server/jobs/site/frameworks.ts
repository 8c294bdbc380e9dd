/** What is known of a framework before anything of the repository is read. */
export interface Framework {
  name: string;
  /** Its settings, by their name; `text` must be in them where the name alone could be another program's. */
  settings: RegExp;
  text?: RegExp;
  /** Names of settings that no other program has, where others of them are shared. */
  ownName?: RegExp;
  /** Where its pages are, seen from the folder of its settings. @param settings their text */
  findPages: (settings: string) => string;
  /** Where links and redirects begin, where the settings tell: '' or '/docs'. */
  findBase?: (settings: string) => string;
  /** Files that list the pages, from the folder of the settings, or of the pages: the first that are there. */
  navigation: RegExp;
  /** What the pages are written in. */
  formats: string;
  /** Extensions of pages that are compiled as MDX. */
  mdx: RegExp;
}

const mdxOnly = /\.mdx$/i;
const mdxAndMarkdown = /\.mdx?$/i;

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
  },
  {
    name: 'Docusaurus',
    settings: /(^|\/)docusaurus\.config\.[cm]?[jt]s$/,
    findPages: (settings) => docsPath(settings) ?? 'docs',
    findBase: (settings) =>
      toBase(
        `${trim(settingOf('baseUrl', settings))}/${trim(settingOf('routeBasePath', settings) ?? 'docs')}`,
      ),
    navigation: /^sidebars?\.([cm]?[jt]s|json)$/,
    formats: 'MDX, also in .md files',
    mdx: mdxAndMarkdown,
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
  },
  {
    name: 'VitePress',
    settings: /(^|\/)\.vitepress\/config(\/index)?\.[cm]?[jt]s$/,
    findPages: (settings) => trim(settingOf('srcDir', settings)),
    findBase: (settings) => toBase(settingOf('base', settings)),
    navigation: /^\.vitepress\/config(\/index)?\.[cm]?[jt]s$/,
    formats: 'Markdown with Vue',
    mdx: /$^/,
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
  },
  {
    name: 'MkDocs',
    settings: /(^|\/)mkdocs\.ya?ml$/,
    findPages: (settings) => trim(yamlSettingOf('docs_dir', settings) ?? 'docs'),
    findBase: (settings) => toBase(URL.parse(yamlSettingOf('site_url', settings) ?? '')?.pathname),
    navigation: /^mkdocs\.ya?ml$/,
    formats: 'Markdown of Python-Markdown',
    mdx: /$^/,
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
    mdx: /$^/,
  },
  {
    name: 'Sphinx',
    settings: /(^|\/)conf\.py$/,
    text: /^[ \t]*(extensions|project|html_theme)\s*=/m,
    findPages: () => '',
    navigation: /^index\.(rst|md)$/,
    formats: 'reStructuredText, and Markdown in .md files',
    mdx: /$^/,
  },
];

/** What is left where no framework is known: files that a code host shows. */
export const plainMarkdown: Framework = {
  name: 'plain Markdown',
  settings: /$^/,
  findPages: () => '',
  navigation: /^(SUMMARY|_sidebar|toc)\.(md|ya?ml)$/i,
  formats: 'Markdown',
  mdx: mdxOnly,
};

/** `path` of the plugin that reads documentation; its other plugins have one, too. */
function docsPath(settings: string): string | undefined {
  const docs = /\bdocs["']?[ \t]*:[ \t]*\{/.exec(settings);
  return docs
    ? trim(settingOf('path', settings.slice(docs.index, docs.index + 1_000).split('}')[0] ?? '')) || undefined
    : undefined;
}
