import { edit } from '../../support/jobs/agent/tool-calls.ts';
import { changed } from '../site-files.ts';
import { type Check, expectTexts, type Task } from '../task.ts';

const pages = [
  'docs/first-deploy.md',
  'docs/guides/health-checks.md',
  'docs/guides/ci.md',
  'docs/reference/cli.md',
  'docs/troubleshooting.md',
];

const flag: Check = {
  name: 'flag',
  find: (outcome) =>
    pages.flatMap((path) => expectTexts(outcome, path, { there: ['--no-wait'], gone: ['--skip-checks'] })),
};

/** It tells of the version in which the flag had that name. */
const history: Check = {
  name: 'history',
  find: (outcome) =>
    expectTexts(outcome, 'docs/changelog.md', { there: ['`ferry deploy --skip-checks` does not wait'] }),
};

export const renamedFlag: Task = {
  name: 'a renamed flag',
  site: 'docusaurus',
  commits: [
    {
      message: 'Call --skip-checks --no-wait, as it skips nothing else',
      files: changed(
        'docusaurus',
        'cmd/deploy.go',
        ['Bool("skip-checks"', 'Bool("no-wait"'],
        ['isSet("skip-checks")', 'isSet("no-wait")'],
      ),
    },
  ],
  prompt:
    'The newest commit changed the command line. Bring the documentation up to date where it no longer holds.',
  allowed: ['docs/**'],
  checks: [flag, history],
  good: {
    calls: pages.map((path) => edit(path, '--skip-checks', '--no-wait')),
    says: 'Call --skip-checks --no-wait\n\nAs the newest commit does. docs/changelog.md tells of an older version, and stays as it is.',
  },
  bad: [
    {
      calls: [
        ...pages.slice(1).map((path) => edit(path, '--skip-checks', '--no-wait')),
        edit('docs/changelog.md', '--skip-checks', '--no-wait'),
      ],
      says: 'Call --skip-checks --no-wait\n\nAs the newest commit does.',
      fails: ['flag', 'history'],
    },
  ],
};
