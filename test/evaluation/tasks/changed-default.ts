import { edit } from '../../support/jobs/agent/tool-calls.ts';
import { changed } from '../site-files.ts';
import { type Check, expectTexts, type Task } from '../task.ts';

const replacements: readonly [path: string, old: string, next: string][] = [
  ['docs/reference/cli.md', '| `--timeout` | 120 |', '| `--timeout` | 300 |'],
  ['docs/reference/config.md', '| `checks.timeout` | 120 |', '| `checks.timeout` | 300 |'],
  ['docs/reference/environment.md', '| `FERRY_TIMEOUT` | 120 |', '| `FERRY_TIMEOUT` | 300 |'],
  ['docs/guides/health-checks.md', 'After 120 seconds', 'After 300 seconds'],
  ['docs/guides/ci.md', 'up to 120 seconds', 'up to 300 seconds'],
];

const defaults: Check = {
  name: 'defaults',
  find: (outcome) =>
    replacements.flatMap(([path, old, next]) => expectTexts(outcome, path, { there: [next], gone: [old] })),
};

/** The same number, and another thing. */
const others: Check = {
  name: 'other numbers',
  find: (outcome) => [
    ...expectTexts(outcome, 'docs/guides/monorepos.md', { there: ['at most 120 characters'] }),
    ...expectTexts(outcome, 'docs/changelog.md', { there: ['is 120 seconds; it was 60'] }),
  ],
};

export const changedDefault: Task = {
  name: 'a changed default',
  site: 'docusaurus',
  commits: [
    {
      message: 'Wait five minutes for health checks, as large releases need them',
      files: changed('docusaurus', 'internal/config/defaults.go', [
        'DefaultTimeout = 120',
        'DefaultTimeout = 300',
      ]),
    },
  ],
  prompt: 'The newest commit changed a default. Correct it wherever the documentation tells of it.',
  allowed: ['docs/**'],
  checks: [defaults, others],
  good: {
    calls: replacements.map(([path, old, next]) => edit(path, old, next)),
    says: 'Tell the new default of --timeout\n\nIt is 300 seconds since the newest commit.',
  },
  bad: [
    {
      calls: [
        ...replacements.slice(0, 2).map(([path, old, next]) => edit(path, old, next)),
        edit('docs/guides/monorepos.md', '120 characters', '300 characters'),
      ],
      says: 'Tell the new default of --timeout\n\nIt is 300 seconds since the newest commit.',
      fails: ['defaults', 'other numbers'],
    },
  ],
};
