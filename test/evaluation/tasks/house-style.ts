import { edit } from '../../support/jobs/agent/tool-calls.ts';
import { snippetsOf } from '../snippet.ts';
import { type Check, type Outcome, type Task, textOf } from '../task.ts';

const page = 'docs/guides/restore.md';

function newText({ added }: Outcome): string {
  return added.map(({ text }) => text).join('\n');
}

const section: Check = {
  name: 'section',
  find: (outcome) =>
    /^## .*\n(?:.*\n)*?.*--only/m.test(newText(outcome)) ? [] : ['No section tells of --only.'],
};

/** As AGENTS.md of the site has it. */
const style: Check = {
  name: 'style',
  find: (outcome) => {
    const text = newText(outcome);
    const banned = text.match(/\b(?:director(?:y|ies)|execut\w*|please|simply|just|eas(?:y|ily))\b/gi) ?? [];
    const headings = text.match(/^#+ .*$/gm) ?? [];
    return [
      ...banned.map((word) => `"${word}" is not a word of this site.`),
      ...headings
        .filter((heading) => /\.$|^#+ \S+.* (?!Tidemark)[A-Z][a-z]/.test(heading))
        .map((heading) => `"${heading}" is no heading in sentence case.`),
      ...(/^!!! (?!warning)/m.test(text) ? ['There is an admonition of another kind than warning.'] : []),
    ];
  },
};

const commands: Check = {
  name: 'commands',
  find: (outcome) => {
    const old = snippetsOf(outcome.before.get(page) ?? '', 'console');
    const blocks = snippetsOf(textOf(outcome, page), 'console').filter((code) => !old.includes(code));
    if (!blocks.some((code) => code.includes('--only'))) return ['No new block of console has --only.'];
    return blocks.filter((code) => !code.startsWith('$ ')).map((code) => `${code} has no $ before it.`);
  },
};

const end = 'The ids of [snapshots]';

export const houseStyle: Task = {
  name: 'style of AGENTS.md',
  site: 'mkdocs',
  prompt: `Add a section to ${page} on restoring some files alone, by the option that src/tidemark/cli.py has for it, with a command.`,
  allowed: [page],
  checks: [section, style, commands],
  good: {
    calls: [
      edit(
        page,
        end,
        `## Restore some files\n\n\`\`\`console\n$ tidemark restore latest --only '*.tmp'\n\`\`\`\n\nrestores the files that match the pattern, and nothing else.\n\n${end}`,
      ),
    ],
    says: 'Tell how some files are restored\n\nBy --only, as the command line has it.',
  },
  bad: [
    {
      calls: [
        edit(
          page,
          end,
          `## Restore Single Files\n\n\`\`\`bash\ntidemark restore latest\n\`\`\`\n\nSimply execute it in the directory.\n\n${end}`,
        ),
      ],
      says: 'Tell how some files are restored\n\nBy an option.',
      fails: ['section', 'style', 'commands'],
    },
  ],
};
