import { edit, write } from '../../support/jobs/agent/tool-calls.ts';
import { changed, siteFiles } from '../site-files.ts';
import { type Check, expectTexts, type Task } from '../task.ts';

const page = 'docs/concepts/stores.md';
const old = 'Others wait for up to 60 seconds.';
const [theirs, ours] = ['Others wait for up to 90 seconds.', 'The lock names the machine that holds it.'];
const text = siteFiles('mkdocs').get(page) ?? '';

const both: Check = {
  name: 'both edits',
  find: (outcome) => expectTexts(outcome, page, { there: ['90 seconds', 'machine'], gone: ['60 seconds'] }),
};

const further: Check = {
  name: 'second request',
  find: ({ added }) =>
    added.some(({ path, text }) => path === 'docs/faq.md' && /names/.test(text))
      ? []
      : ['docs/faq.md does not say that the lock names the machine.'],
};

export const movedBase: Task = {
  name: 'a base that moved',
  site: 'mkdocs',
  prompt: `Say in ${page}, right behind how long others wait, that a lock names the machine that holds it.`,
  later: async (scene) => {
    await scene.commit({
      message: 'Wait longer for locks',
      files: changed('mkdocs', page, [old, theirs]),
    });
    await scene.message('Say the same in docs/faq.md, where it tells of two machines.');
  },
  allowed: [page, 'docs/faq.md'],
  checks: [both, further],
  good: {
    calls: [edit(page, old, `${old} ${ours}`)],
    says: 'Tell whom a lock names\n\nIn the section on locks.',
    later: [
      {
        calls: [
          write(page, text.replace(old, `${theirs} ${ours}`)),
          edit('docs/faq.md', 'One waits for the other', `${ours} One waits for the other`),
        ],
        says: 'Tell whom a lock names\n\nIn the questions, too. The base waits longer for locks, which is kept.',
      },
    ],
  },
  bad: [
    {
      calls: [edit(page, old, `${old} ${ours}`)],
      says: 'Tell whom a lock names\n\nIn the section on locks.',
      later: [
        {
          calls: [write(page, text.replace(old, `${old} ${ours}`))],
          says: 'Tell whom a lock names\n\nThe section is as it was.',
        },
      ],
      fails: ['sources', 'both edits', 'second request'],
    },
  ],
};
