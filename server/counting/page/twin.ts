/** `/docs/llms.txt`; the longer and shorter ones are those that tools and frameworks make beside it. */
const llmsText = /^(.*)\/llms(?:-full|-small|-medium|-ctx|-ctx-full)?\.txt$/;
/** `/page.md`, and `/page.html.md` as https://llmstxt.org has it; `.mdx` is what some documentation servers say. */
const markdown = /^(.*)\/([^/]+)\.mdx?$/;

/** The path that views of this one count under: where the project does not count twins as files, that of their page. */
export function untwinned(path: string, { countTwinsAs }: { countTwinsAs: 'page' | 'file' }): string {
  return countTwinsAs === 'file' ? path : pageOfTwin(path);
}

/**
 * The path of the page that a text for machines stands for: `/page.md` is `/page`, `/page.html.md` is `/page.html`,
 * `/docs/index.md`, `/docs/index.html.md` and `/docs/llms.txt` are `/docs`. All others are pages of their own, also
 * names in capitals, as nobody writes `/README` for `/README.md`.
 *
 * @param path in the normal form of `parsePage`; a kept query and a route stay
 */
function pageOfTwin(path: string): string {
  const end = path.search(/[?#]/);
  const file = end === -1 ? path : path.slice(0, end);
  const page = pageOfFile(file);
  return page === file ? path : page + path.slice(file.length);
}

function pageOfFile(file: string): string {
  const llms = llmsText.exec(file);
  if (llms) return llms[1] || '/';
  const [, folder = '', name = ''] = markdown.exec(file) ?? [];
  if (name === '' || /^[A-Z][A-Z0-9_-]+$/.test(name)) return file;
  return /^index(?:\.html?)?$/.test(name) ? folder || '/' : `${folder}/${name}`;
}
