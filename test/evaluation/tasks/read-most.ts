import { edit } from '../../support/jobs/agent/tool-calls.ts';
import { snippetsOf } from '../snippet.ts';
import { type Check, expectTexts, type Task, textOf } from '../task.ts';

const page = 'src/content/docs/reference/scale.md';

const example: Check = {
  name: 'example',
  find: (outcome) => {
    const uses = snippetsOf(textOf(outcome, page), 'js').filter((code) => /\bscale\(/.test(code));
    return uses.length > 0 ? [] : [`${page} has no block of JavaScript that calls scale.`];
  },
};

const rest: Check = {
  name: 'what was there',
  find: (outcome) =>
    expectTexts(outcome, page, {
      there: ["| `kind` | `'linear'` | or `'log'` |", '[Axes](/guides/axes/) are made of it.'],
    }),
};

const block = "```js\nconst place = scale([0, 9], [20, 60], { kind: 'linear' });\n```\n";

export const readMost: Task = {
  name: 'the page AI reads most',
  site: 'starlight',
  views: [
    { path: '/', people: 20, ai: 2 },
    { path: '/install/', people: 25, ai: 3 },
    { path: '/reference/scale/', people: 2, ai: 19 },
    { path: '/reference/line/', people: 9, ai: 7 },
    { path: '/guides/streaming/', people: 4, ai: 8 },
  ],
  prompt:
    'Find the page that AI clients read most. It lacks an example: add a short one there, and change nothing else.',
  allowed: [page],
  checks: [example, rest],
  good: {
    calls: [
      { tool: 'visitors', input: { limit: 10 } },
      edit(page, '[Axes](/guides/axes/)', `${block}\n[Axes](/guides/axes/)`),
    ],
    says: 'Add an example of scale\n\nIts page is the one that AI clients read most.',
  },
  bad: [
    {
      // The page that people read most.
      calls: [
        edit('src/content/docs/install.md', 'Now draw', 'It takes 14 seconds.\n\nNow draw'),
        edit(page, '[Axes](/guides/axes/) are made of it.\n', 'See [axes](/guides/axes/).\n'),
      ],
      says: 'Add an example to the page on installing\n\nIt is read most.',
      fails: ['paths', 'sources', 'example', 'what was there'],
    },
  ],
};
