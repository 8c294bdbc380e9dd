/** The site of the dataset: documentation with a blog. */
export const siteHost = 'teapot.example';
export const siteUrl = `https://${siteHost}`;
export const launchPage = '/blog/teapot-2';

/** The more popular first. */
export const peoplesPages: readonly string[] = [
  '/',
  '/docs/install',
  '/docs/quickstart',
  '/pricing',
  '/docs',
  '/blog',
  '/docs/guides/brewing',
  launchPage,
  '/docs/configuration',
  '/changelog',
  '/docs/api/pots',
  '/docs/guides/descaling',
  '/blog/why-we-count-leaves',
  '/docs/errors/418',
  '/docs/api/authentication',
  '/docs/guides/loose-leaf',
  '/about',
  '/docs/cli/pour',
  '/docs/api/leaves',
  '/docs/faq',
  '/blog/the-perfect-minute',
  '/docs/guides/large-parties',
  '/docs/sdk/typescript',
  '/docs/sdk/python',
  '/docs/cli/heat',
  '/community',
  '/docs/deploy/docker',
  '/docs/upgrade/1-to-2',
  '/docs/api/webhooks',
  '/blog/a-year-of-oolong',
  '/docs/sdk/go',
  '/docs/deploy/kubernetes',
  '/docs/troubleshooting',
  '/careers',
  '/docs/security',
  '/privacy',
  '/docs/api/temperatures',
  '/docs/glossary',
  '/imprint',
  '/docs/api/errors',
];

/** What programs read more than people do comes first; the last two only they ask for. */
const programsFirst: readonly string[] = [
  '/docs/api/pots',
  '/llms.txt',
  '/docs/api/authentication',
  '/docs/errors/418',
  '/docs/sdk/typescript',
  '/docs/api/leaves',
  '/docs/api/webhooks',
  '/docs/install',
  '/docs/upgrade/1-to-2',
  '/docs/api/errors',
  '/llms-full.txt',
];

export const programsPages: readonly string[] = [
  ...programsFirst,
  ...peoplesPages.filter((path) => !programsFirst.includes(path)),
];

/** Texts for machines count under their page. */
export const countedAs = (path: string): string => (/^\/llms(-full)?\.txt$/.test(path) ? '/' : path);
