import { edit, remove, write } from '../../support/jobs/agent/tool-calls.ts';
import { siteFiles } from '../site-files.ts';
import { type Check, type Task, textOf } from '../task.ts';

const page = 'docs/guides/schedule.md';
const text = (siteFiles('mkdocs').get(page) ?? '').replaceAll('\n', '\r\n');
const wanted = text
  .replace('15\t2\ttidemark', '15\t3\ttidemark')
  .replace('at 02:15 every night', 'at 03:15 every night');

/** Not a byte besides. */
const lines: Check = {
  name: 'intended lines',
  find: (outcome) => {
    const given = textOf(outcome, page).split('\n');
    const meant = wanted.split('\n');
    return given.length === meant.length
      ? meant.filter((line, n) => line !== given[n]).map((line) => `It lacks ${JSON.stringify(line)}.`)
      : [`It has ${given.length} lines, and ${meant.length} were meant.`];
  },
};

const lineEnds: Check = {
  name: 'line ends',
  find: (outcome) =>
    /(?<!\r)\n/.test(textOf(outcome, page)) ? ['Some lines end in a line feed alone.'] : [],
};

export const keptLineEnds: Task = {
  name: 'line ends and tabs',
  site: 'mkdocs',
  commits: [{ message: 'Edit the schedule on Windows', files: { [page]: text } }],
  prompt: `The nightly run begins an hour later, at 03:15. Correct both places in ${page}.`,
  allowed: [page],
  checks: [lines, lineEnds],
  good: {
    calls: [
      edit(page, '15\t2\ttidemark', '15\t3\ttidemark'),
      edit(page, 'at 02:15 every night', 'at 03:15 every night'),
    ],
    says: 'Begin the nightly run an hour later\n\nIn the table and in the text below it.',
  },
  bad: [
    {
      // As who writes the page anew, and takes tabs for spaces.
      calls: [remove(page), write(page, wanted.replaceAll('\r', '').replaceAll('\t', '  '))],
      says: 'Begin the nightly run an hour later\n\nIn the table and in the text below it.',
      fails: ['intended lines', 'line ends'],
    },
  ],
};
