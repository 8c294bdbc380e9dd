import { edit } from '../../support/jobs/agent/tool-calls.ts';
import { runSnippet, snippetsOf } from '../snippet.ts';
import { type Check, expectTexts, type Task, textOf } from '../task.ts';

const page = 'guides/pagination.mdx';

/** Three pages, as the text above the snippet describes answers. */
const trial = `
const pages = { null: { data: [1, 2], next: 'b' }, b: { data: [3, 4], next: 'c' }, c: { data: [5], next: null } };
let asked = 0;
const get = async (path, { after }) => {
  asked += 1;
  if (path !== '/parcels' || asked > 9) throw new Error('It asked for ' + path + ' ' + asked + ' times.');
  return pages[after ?? null];
};
const found = JSON.stringify(await listAll(get));
if (found !== '[1,2,3,4,5]') throw new Error('It answered ' + found + '.');
`;

const runs: Check = {
  name: 'snippet',
  find: async (outcome) => {
    const [snippet = ''] = snippetsOf(textOf(outcome, page), 'js');
    const fault = await runSnippet(snippet.replaceAll(/^export /gm, '') + trial);
    return fault === undefined ? [] : [`The snippet does not run: ${fault}`];
  },
};

const rest: Check = {
  name: 'text around it',
  find: (outcome) =>
    expectTexts(outcome, page, {
      there: ['on the last page `next` is `null`.', '`get` is whatever your program sends', 'listAll(get)'],
    }),
};

export const brokenSnippet: Task = {
  name: 'a broken snippet',
  site: 'mintlify',
  prompt: `A reader tells that the snippet in ${page} answers a list of lists, and that it ends after the first page. Mend it; its function keeps name and parameter.`,
  allowed: [page],
  checks: [runs, rest],
  good: {
    calls: [
      edit(page, 'parcels.push(page.data);', 'parcels.push(...page.data);'),
      edit(page, 'after = page.nextAfter;', 'after = page.next;'),
    ],
    says: 'Mend the snippet on pagination\n\nIt adds the rows one by one, and goes on with `next`, as the text says.',
  },
  bad: [
    {
      calls: [
        edit(page, 'parcels.push(page.data);', 'parcels.push(...page.data);'),
        edit(page, '; on the last page `next` is `null`.', '.'),
      ],
      says: 'Mend the snippet on pagination\n\nIt adds the rows one by one.',
      fails: ['snippet', 'text around it'],
    },
  ],
};
