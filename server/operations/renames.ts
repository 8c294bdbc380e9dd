import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { projectSettings } from '../../shared/project/project.ts';
import {
  findRenameFault,
  isRenamePath,
  lineOf,
  type Rename,
  renameOf,
} from '../../shared/project/renames.ts';
import { reply } from '../../shared/reply.ts';
import { reportRoute } from '../analytics/report-route.ts';
import { CommandError } from '../commands/terminal/command.ts';
import { table } from '../commands/terminal/table.ts';
import { renamedForm, renamedPath } from '../counting/page/renamed.ts';
import { invalid } from '../errors.ts';
import { readTrouble } from '../files/file-trouble.ts';
import { noProject } from '../http/authorize.ts';
import { parse } from '../http/parse.ts';
import { type RedirectFile, readRedirects } from '../sitefiles/redirects.ts';
import type { ListedProject } from '../store/projects.ts';
import type { Store } from '../store/store.ts';
import { commandOf } from './command.ts';
import { anyPath, warnOfRenames } from './moved-paths.ts';
import { type Deps, operation } from './operation.ts';
import { change } from './projects.ts';
import { fromRepositoryOf } from './repository.ts';

const path = '/v1/analytics/:projectId/renames';
/** Redirects of a large site. */
const maxBytes = 512 * 1024;
/** Pages that a reply shows. */
const maxShown = 100;

const rename = z.object({ from: z.string(), to: z.string() });

const renamesReply = reply('Renames', () => ({ renames: z.array(rename) }));

const renamedReply = reply('Renamed', () => ({
  added: z.array(rename).describe('What is new; with `dryRun` nothing was changed.'),
  pages: z.number().describe('Pages that were counted and have another path by it.'),
  shown: z.array(rename).describe('The first of them, as they are called until then, and from then on.'),
  left: z
    .number()
    .describe('Redirects that are no renames: with conditions, to other sites, or known already.'),
  files: z.array(z.string()).describe('Files of the repository that were read.'),
  message: z.string().nullable().describe('What to know about it.'),
  warnings: z
    .array(z.string())
    .describe('Goals, funnels, sections and saved views that name an old path alone.'),
  dryRun: z.boolean(),
}));

const newRenames = z
  .object({
    from: z.string().optional().describe('The old path, such as `/old`, or all below one: `/docs/v1/**`.'),
    to: z
      .string()
      .optional()
      .describe('The new one; `/docs/**` keeps what follows, and `/docs` makes one page of all.'),
    redirects: z
      .string()
      .optional()
      .describe(
        'In place of both: the text of a file with redirects, such as `_redirects`, `vercel.json` or `mkdocs.yml`.',
      ),
    fromRepository: z
      .boolean()
      .default(false)
      .describe("Instead: read such files from the project's repository."),
    dryRun: z.boolean().default(false).describe('Say what would change, and change nothing.'),
  })
  .refine(
    ({ from, to, redirects, fromRepository }) => {
      const isOne = from !== undefined && to !== undefined;
      const isNone = from === undefined && to === undefined;
      const isFile = redirects !== undefined;
      return fromRepository || isFile ? isNone && fromRepository !== isFile : isOne;
    },
    { error: 'must be the old path and the new one, or redirects or fromRepository alone', path: ['from'] },
  );

const notValid = 'The rename is not valid';

const inForm = ({ from, to }: Rename): Rename => {
  const [old, now] = [renameOf(`${from.trim()} -`).from, renameOf(`${to.trim()} -`).from];
  return {
    from: old.startsWith('/') ? renamedForm(old) : old,
    to: now.startsWith('/') ? renamedForm(now) : now,
  };
};

const add = operation({
  via: reportRoute,
  name: 'analytics.renames.add',
  method: 'POST',
  path,
  access: 'project',
  summary: 'Count an old path as a new one, for the past too',
  description:
    'Reports join the paths, and nothing that was counted changes. Views are added; visitors of closed days have bounds, as one may have read both. New hits count under the new path.',
  body: { schema: newRenames, maxBytes, subject: 'The rename' },
  answers: { 201: { says: 'What is renamed', json: renamedReply } },
  refreshes: 'registry',
  tool: {
    name: 'rename_paths',
    title: 'Rename paths',
    description:
      'Counts pages that moved under their new path, for the past too, so that the history of each is one line: one page, all below a path (`/docs/v1/**` to `/docs/**`), or the redirects of the site. With dryRun it only says what would change. It can be undone.',
  },
  async run(deps, { project: asking, body: { from = '', to = '', redirects, fromRepository, dryRun } }) {
    const files = fromRepository ? await filesOf(deps, asking) : [];
    // Others may have changed its settings while git worked.
    const project = fromRepository ? await presentOf(deps.store, asking.id) : asking;
    const { settings, id: projectId } = project;
    const present = settings.renamedPaths.map(renameOf);
    const given = redirects === undefined ? files : [{ path: '_redirects', text: redirects }];
    const isOne = redirects === undefined && !fromRepository;
    const found = isOne ? { renames: [{ from, to }], left: 0 } : readAll(given);
    const asked = found.renames.map(inForm);
    const fresh = asked.filter((one) => isOne || isNew(one, present));
    for (const one of fresh) {
      for (const name of ['from', 'to'] as const)
        if (!isRenamePath(one[name]))
          throw invalid(
            notValid,
            name,
            'must be a path, such as /docs/old, or all below one, such as /docs/v1/**',
          );
      const fault = findRenameFault(one);
      if (fault !== undefined) throw invalid(notValid, 'from', fault);
      const known = present.find((other) => other.from === one.from);
      if (known)
        throw invalid(
          notValid,
          'from',
          `counts as ${known.to} already: undo that first, or rename ${known.to}`,
        );
    }
    const renamedPaths = [...settings.renamedPaths, ...fresh.map(lineOf)];
    const names = await deps.store.listPaths(projectId, anyPath);
    checkRenames(renamedPaths);
    const warnings = await warnOfRenames(deps.store, project, renamedPaths, names);
    if (!dryRun && fresh.length > 0)
      await change(deps, project, { settings: { renamedPaths } }, 'owner', null);
    const moved = names
      .map((name) => ({ from: name, to: renamedPath(name, { renamedPaths }) }))
      .filter((one) => one.from !== one.to);
    return {
      ...{ added: fresh, pages: moved.length, shown: moved.slice(0, maxShown) },
      ...{ left: found.left + asked.length - fresh.length, dryRun, warnings },
      files: files.map(({ path }) => path),
      message:
        fromRepository && files.length === 0
          ? 'The repository has no file with redirects, such as _redirects or docs.json.'
          : messageOf(fresh, moved.length, dryRun),
    };
  },
  command: {
    name: 'paths rename',
    usage: '<project>  --from <path> --to <path> | --redirects <file> | --from-repository  [--dry-run]',
    options: {
      from: {
        type: 'string',
        value: 'path',
        says: 'the old path, such as /old, or all below one: "/docs/v1/**"',
      },
      to: { type: 'string', value: 'path', says: 'the new one, such as /new or "/docs/**"' },
      redirects: {
        type: 'string',
        value: 'file',
        says: 'rename what a file of the site redirects: _redirects, netlify.toml,\nvercel.json, docs.json, docs.yml, redocly.yaml, .gitbook.yaml or mkdocs.yml',
      },
      'from-repository': {
        type: 'boolean',
        field: 'fromRepository',
        says: "the same of the files in the project's repository",
      },
      'dry-run': { type: 'boolean', field: 'dryRun', says: 'only say what would change' },
    },
    async read({ values: { from, to, redirects, ...flags } }) {
      const text = redirects === undefined ? undefined : await readText(redirects);
      const { 'from-repository': fromRepository = false, 'dry-run': dryRun = false } = flags;
      return { body: { from, to, redirects: text, fromRepository, dryRun } };
    },
    print: ({ shown, files, message, warnings }) =>
      `${files.length > 0 ? `Read from ${files.join(', ')}.\n` : ''}${
        shown.length > 0
          ? table(
              ['PATH', 'COUNTS AS'],
              shown.map(({ from, to }) => [from, to]),
            )
          : ''
      }${[message ?? '', ...warnings].join('\n')}\n`,
  },
});

const remove = operation({
  via: reportRoute,
  name: 'analytics.renames.remove',
  method: 'DELETE',
  path,
  access: 'project',
  summary: 'Undo a rename',
  description:
    'What was counted before is under the old path again; what came since stays under the new one.',
  query: z.object({ from: z.string().describe('The old path, as the rename has it.') }),
  answers: { 200: { says: 'The renames that are left', json: renamesReply } },
  refreshes: 'registry',
  async run(deps, { project, query: { from } }) {
    const before = project.settings.renamedPaths;
    const renamedPaths = before.filter((line) => renameOf(line).from !== inForm({ from, to: '' }).from);
    const olds = before.slice(0, 20).map((line) => renameOf(line).from);
    const known = olds.length === 0 ? ', and no path is renamed' : `, such as ${olds.join(', ')}`;
    if (renamedPaths.length === before.length)
      throw invalid('Nothing was undone', 'from', `must be an old path${known}`);
    const { settings } = await change(deps, project, { settings: { renamedPaths } }, 'owner', null);
    return { renames: settings.renamedPaths.map(renameOf) };
  },
  command: {
    name: 'paths undo',
    usage: '<project>  --from <path>',
    options: { from: { type: 'string', value: 'path', needed: true, says: 'the old path of the rename' } },
    print: (_, { values }) =>
      `${values.from} counts as itself again; what came since stays under the new path.\n`,
  },
});

/** @throws ApiError `not_found` */
async function presentOf(store: Store, projectId: string): Promise<ListedProject> {
  const { projects } = await store.directory();
  const project = projects.find(({ id }) => id === projectId);
  if (!project) throw noProject();
  return project;
}

/** @throws ApiError */
function filesOf(deps: Deps, project: ListedProject): Promise<RedirectFile[]> {
  return fromRepositoryOf(deps, project, async (files) => {
    const { readRedirectFiles } = await import('../jobs/turn/repository-files.ts');
    return readRedirectFiles(files);
  });
}

/** Of several redirects for one path the first is followed. @throws ApiError */
function readAll(files: readonly RedirectFile[]): { renames: Rename[]; left: number } {
  const renames = new Map<string, Rename>();
  let left = 0;
  for (const file of files) {
    const found = readRedirects(file);
    if (!found)
      throw invalid(
        notValid,
        file.path === '_redirects' ? 'redirects' : file.path,
        'is no JSON with a list `redirects`, no YAML or TOML with any, and no lines such as "/old /new": check the file',
      );
    left += found.left;
    for (const one of found.renames) {
      if (renames.has(one.from)) left++;
      else renames.set(one.from, one);
    }
  }
  return { renames: [...renames.values()], left };
}

/** @throws CommandError */
function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandError(`${file} cannot be read: ${readTrouble(error)}.`, { cause: error });
  });
}

const isNew = ({ from, to }: Rename, present: readonly Rename[]) =>
  from !== to && !present.some((one) => one.from === from);

/** @throws ApiError `invalid` */
function checkRenames(renamedPaths: readonly string[]): void {
  parse(projectSettings.pick({ renamedPaths: true }), { renamedPaths }, 'The rename');
}

function messageOf(fresh: readonly Rename[], pages: number, isDryRun: boolean): string | null {
  const dry = isDryRun ? ' Nothing was changed.' : '';
  if (fresh.length === 0) return `No redirect is a rename that is not known yet.${dry}`;
  if (pages === 0) return `No page that was counted has such a path: it is for hits to come.${dry}`;
  const counts = pages === 1 ? '1 page counts' : `${pages} pages count`;
  const wouldCount = pages === 1 ? '1 page would count' : `${pages} pages would count`;
  return `${isDryRun ? wouldCount : counts} under another path.${dry}`;
}

/** Old paths of pages, for programs, models and the command line. */
export const renameOperations = [add, remove];

export const pathsCommand = commandOf(
  {
    name: 'paths',
    about: `Pages that moved count under their new path, for the past too. Reports join the paths, and nothing
that was counted changes, so that a rename can be undone.
`,
    after: 'It works while a server runs.\n',
    width: 110,
  },
  renameOperations,
);
