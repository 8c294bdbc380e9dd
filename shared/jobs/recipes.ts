/** Work that a documentation needs again and again, as a prompt for an agent. */
export interface Recipe {
  title: string;
  prompt: string;
}

/** What holds for all of them: what maintainers merge is small, right and explained. */
const manner = `Keep the change small: at most four pages, and no line that this work does not need. State nothing that you have not read in this repository or in what you were given; where a fact is missing, leave the place as it is and name the question in your summary. If nothing needs to be done, change nothing and say so. In the summary name each page that you changed, and the figure or the text that made you change it.`;

const toPrompt = (text: string): string =>
  `${text.trim().replace(/\n(?!\n)(?!- )(?<!\n\n)/g, ' ')}\n\n${manner}`;

export const recipes = {
  'missing-pages': {
    title: 'Mend what AI could not read',
    prompt: toPrompt(`
Mend what AI clients could not read on this site.

Look up which paths AI clients asked for in the last 28 days and were answered 404 or 410, and how often. Take the five
that were asked for most and look like pages of this site; leave out what only scanners ask for.

For each of them find out where the reader should have arrived:
- Has the page moved or been renamed? Check the history of the repository, its titles and its headings. Add a redirect in
the way this site has them, and correct links that still lead to the old address.
- Is it a slip in one of our own links, or in llms.txt or a sitemap? Correct it there.
- Do readers expect a page that never was? Redirect to the section that answers the question. Write a new page only
where the repository already holds all that it would say.
- Was it deleted on purpose, or is that unclear? Leave it, and list it in the summary.`),
  },
  'examples-for-ai': {
    title: 'Add examples to what AI reads most',
    prompt: toPrompt(`
Add examples to the pages that AI clients read most, and that lack them.

Look up the pages with the most views by AI clients in the last 28 days. Read the ten first ones, and choose up to three
that explain how to do something without showing it: a command without a call of it, an option without
a value, an API without a request and its answer.

Write one example for each, next to the sentence that it belongs to: complete, so that it can be copied and run
unchanged, with realistic values and the result that it gives. Take names, options, defaults and output from the source
code, tests or reference in this repository, and follow the form of examples on other pages. Never add one whose result
you can only guess.`),
  },
  'texts-for-ai': {
    title: 'Write llms.txt and Markdown twins',
    prompt: toPrompt(`
Give AI clients texts of this site that they can read without its pages.

First find out what is there, and what the framework of this site makes by itself: some build llms.txt and a Markdown
version of each page. Do not write by hand what a setting or the build makes; name that setting in the summary if you
may not change it.

Where there is no llms.txt: write one, in the folder whose files are served as they are. It begins with the name of the
project as a heading of the first level and one sentence, as a quotation, on what it is. Sections follow, with links to
the pages that matter most, each with a few words on what it answers. Prefer what AI clients and people read most,
and keep it below 100 links. Where there is one: remove links that lead nowhere, and add pages of the 20 most read that
it lacks.

Where the site serves no Markdown: write Markdown versions of up to three of the pages that AI clients read most,
/page.md for /page, with the text of the page alone. Do so only where its source is no Markdown already.`),
  },
  'broken-links': {
    title: 'Mend broken links',
    prompt: toPrompt(`
Mend broken links inside of this site.

Look through the pages of the documentation for links, images and anchors that lead to no page, file or heading of this
repository, those of the most read pages first. Correct up to twenty of them: find where the target has gone by the
history, by titles and by headings, and link to it. Where a target is gone for good, and nothing took its place, take
the link away and keep its words, as long as the sentence is still true.

Leave links to other sites alone, as you cannot see whether they work, and also links that a program of the site makes
or redirects.`),
  },
  changelog: {
    title: 'Bring a changelog into the docs',
    prompt: toPrompt(`
Bring the documentation up to date with a changelog.

Take the entries from the changelog or release notes that you were given with this request. If you were given none, take
the newest release in the changelog of this repository. For each entry decide whether a reader of the documentation
would do something differently because of it: an option, a default, a command, an endpoint, a limit or a behaviour that
was added, changed or removed. Leave out internal work, and what the pages say already.

Change the pages that describe it, in each place where they do: text, tables, examples and reference. Mark what was
removed or is deprecated where readers would look for it. Name the release from which something holds only where the
pages do so in other places. Do not copy the changelog onto a page.`),
  },
  'still-true': {
    title: 'Check whether what AI reads most is still true',
    prompt: toPrompt(`
Check whether the pages that AI clients read most are still true.

Look up the pages with the most views by AI clients in the last 7 days. Read the five first ones, sentence by sentence,
against the source code, tests, settings and changelog in this repository: names of options and commands, defaults,
limits, versions, examples and their output, and what is said to be new, planned or deprecated. Look at the newest
commits, too, for what they changed and these pages do not say.

Correct what the repository proves to be wrong, in place and in the voice of the page. Do not polish what is right.`),
  },
} as const satisfies Record<string, Recipe>;

export type RecipeName = keyof typeof recipes;

export const recipeNames = Object.keys(recipes) as [RecipeName, ...RecipeName[]];

/** What is asked of the agent: a recipe, what somebody wrote, or both. */
export function requestOf({
  recipe = null,
  prompt = null,
}: {
  recipe?: RecipeName | null | undefined;
  prompt?: string | null | undefined;
}): string {
  const asked = recipe === null ? [] : [recipes[recipe].prompt];
  return [...asked, ...(prompt === null ? [] : [prompt])].join('\n\n');
}
