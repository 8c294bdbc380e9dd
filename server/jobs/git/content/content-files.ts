/**
 * What counts as content of a site: the files that an agent may change without the project naming them. Builds and
 * previews run a branch before anybody has read it, so this lists what no usual tool runs, and not what some tool does.
 */

/** Pages in the markup languages of documentation, and images. SVG is not among them: it can hold scripts. */
export const contentExtensions: readonly string[] = [
  ...['md', 'mdx', 'markdown', 'mdown', 'mkd', 'mdoc', 'markdoc'],
  ...['rst', 'adoc', 'asciidoc', 'textile', 'mediawiki', 'txt'],
  ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'ico', 'bmp'],
];

/** Navigation that is data, by the name of the file. */
export const navigationNames: readonly string[] = [
  // Mintlify
  ...['docs.json', 'mint.json'],
  // Nextra, Docusaurus
  ...['_meta.json', '_category_.json', '_category_.yml', '_category_.yaml', 'sidebars.json', 'sidebar.json'],
  // DocFX, Jupyter Book, Sphinx
  ...['toc.yml', '_toc.yml'],
];

/** Settings of a site of which an agent may change the navigation alone. */
export const mkdocsNames: readonly string[] = ['mkdocs.yml', 'mkdocs.yaml'];

/** Named like content, and yet some installer or builder takes orders from it. */
export const namedLikeContent: readonly RegExp[] = [
  /(^|\/)[^/]*(requirements?|constraints)[^/]*\.txt$/,
  /(^|\/)requirements\/.*\.txt$/,
  /(^|\/)(cmakelists|meson_options|conanfile|runtime|packages|apt)\.txt$/,
];

/** Other agents take orders from these; they are changed only where the project names them without a wildcard. */
export const agentFiles: readonly RegExp[] = [
  /(^|\/)(agents?|claude|gemini|qwen|crush|warp|skill)(\.[\w-]+)*\.(md|mdx|markdown|txt)$/,
  /(^|\/)[^/]+\.(instructions|prompt|chatmode|agent)\.md$/,
  /(^|\/)(copilot-instructions|replit|\.?rules)\.md$/,
];
