import { edit } from '../../support/jobs/agent/tool-calls.ts';
import { type Check, expectTexts, type Task } from '../task.ts';

const page = 'docs/guides/rollback.md';
const linking = [
  'docs/intro.md',
  'docs/first-deploy.md',
  'docs/guides/secrets.md',
  'docs/guides/ci.md',
  'docs/troubleshooting.md',
];

const heading: Check = {
  name: 'heading',
  find: (outcome) =>
    expectTexts(outcome, page, { there: ['\n## Undo a deploy\n'], gone: ['\n## Roll back\n', '{#'] }),
};

/** They name the heading as it is now. */
const anchors: Check = {
  name: 'anchors',
  find: (outcome) =>
    linking.flatMap((path) =>
      expectTexts(outcome, path, { there: ['rollback.md#undo-a-deploy)'], gone: ['#roll-back'] }),
    ),
};

export const renameHeading: Task = {
  name: 'rename a heading',
  site: 'docusaurus',
  prompt: `In ${page}, rename the heading "Roll back" to "Undo a deploy", without an id of its own. Links have to lead to it.`,
  allowed: [page, ...linking],
  checks: [heading, anchors],
  good: {
    calls: [
      edit(page, '## Roll back\n', '## Undo a deploy\n'),
      ...linking.map((path) => edit(path, 'rollback.md#roll-back)', 'rollback.md#undo-a-deploy)')),
    ],
    says: 'Rename the heading "Roll back"\n\nRenamed it, and corrected the five links to it.',
  },
  bad: [
    {
      calls: [
        edit(page, '## Roll back\n', '## Undo a deploy at once\n'),
        edit(page, 'which takes about a second', 'which takes 4 seconds'),
      ],
      says: 'Rename the heading "Roll back"\n\nRenamed it.',
      fails: ['links', 'sources', 'heading', 'anchors'],
    },
  ],
};
