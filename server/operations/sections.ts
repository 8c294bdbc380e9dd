import { sectionSuggestionsReply } from '../../shared/reports/replies.ts';
import { reportRoute } from '../analytics/report-route.ts';
import { readSuggestions } from '../analytics/section-suggestions.ts';
import { table } from '../commands/terminal/table.ts';
import { operation } from './operation.ts';
import { fromRepositoryOf } from './repository.ts';

/** Parts of the site that nobody may have viewed yet. */
export const suggestSections = operation({
  via: reportRoute,
  name: 'analytics.repository_sections.read',
  method: 'POST',
  path: '/v1/analytics/:projectId/repository-sections',
  access: 'project',
  summary: 'Suggest sections from the pages in the repository of the project',
  description:
    'As `section-suggestions`, with the pages in the repository in place of those of the sitemap. Takes up to a minute.',
  answers: { 200: { says: 'Globs with names', json: sectionSuggestionsReply } },
  async run(deps, { project }) {
    const { docsFolder } = project.settings;
    const pages = await fromRepositoryOf(deps, project, async (files, signal) => {
      const { listSitePages } = await import('../jobs/turn/repository-files.ts');
      return listSitePages(files, docsFolder, signal);
    });
    return readSuggestions(deps, project, pages);
  },
  command: {
    name: 'project sections',
    usage: '<project>',
    print: ({ suggestions }) =>
      suggestions.length === 0
        ? 'No other parts were found.\n'
        : table(
            ['PATH', 'NAME', 'PAGES', 'VIEWS'],
            suggestions.map(({ path, name, pages, views }) => [path, name, String(pages), String(views)]),
          ),
  },
});
