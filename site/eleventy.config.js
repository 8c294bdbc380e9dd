// Builds the documentation with Eleventy (https://www.11ty.dev): `npm run docs`, or `npm run docs -- --serve` to read
// while writing. All links are relative, so it can be served at any address.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import {
  headingsOf,
  llmsText,
  otherFiles,
  readGroups,
  readPages,
  renderMarkdown,
  sectionsOf,
  usersPages,
} from './pages.ts';
import { commandsPage, logFormatsPage, routesPage, settingsPage } from './reference.ts';

/** A line of HTML for the head of each page, such as the one that counts its views. */
const { HEADCOUNT_DOCS_HEAD: head = '' } = process.env;

export default async function configure(eleventy) {
  const generated = [
    { name: 'commands', markdown: await commandsPage(), note: 'every command and option' },
    { name: 'routes', markdown: routesPage(), note: 'every route of the API' },
    { name: 'log-formats', markdown: logFormatsPage(), note: 'formats of access logs, and what each needs' },
    { name: 'settings', markdown: settingsPage(), note: 'environment variables of the server' },
  ];
  const pages = readPages(generated);
  const groups = readGroups(pages, generated);
  const order = usersPages(pages, groups);
  for (const page of pages) {
    const at = order.indexOf(page);
    const [previous, next] = at < 0 ? [] : [order[at - 1], order[at + 1]];
    eleventy.addTemplate(`${page.name}.md`, page.markdown, {
      ...{ layout: 'page.njk', permalink: `${page.name}.html`, templateEngineOverride: 'md' },
      ...{ name: page.name, title: page.title, headings: headingsOf(page), previous, next, head, groups },
      version: manifest.version,
    });
  }
  eleventy.ignores.add('site/page.njk');
  eleventy.setLibrary('md', { render: renderMarkdown });
  eleventy.addWatchTarget('./{,docs/,bench/,client/,connect/}*.md', { resetConfig: true });
  eleventy.on('eleventy.before', ({ directories, runMode }) => {
    // Pages that are gone. A folder that somebody named may have other files.
    if (runMode === 'build' && resolve(directories.output) === resolve('dist/docs')) {
      rmSync('dist/docs', { recursive: true, force: true });
    }
  });
  eleventy.on('eleventy.after', ({ directories }) => {
    const write = (name, text) => writeFileSync(join(directories.output, name), text);
    mkdirSync(directories.output, { recursive: true });
    for (const { name, markdown } of pages) write(`${name}.md`, markdown);
    write('llms.txt', llmsText(groups, manifest.description));
    write('llms-full.txt', order.map(({ markdown }) => markdown.trimEnd()).join('\n\n---\n\n'));
    write('search.json', JSON.stringify(order.flatMap(sectionsOf)));
    // The dashboard's colours and sizes.
    const styles = ['../dashboard/style/1-tokens.css', 'style.css'];
    write(
      'style.css',
      styles.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n'),
    );
    const files = [...otherFiles(pages), 'dashboard/icon.svg', 'site/search.js'];
    for (const file of files) copyFileSync(file, join(directories.output, basename(file)));
  });
  return { dir: { input: 'site', includes: '.', output: 'dist/docs' } };
}
