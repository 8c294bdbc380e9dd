import { isUtf8 } from 'node:buffer';
import type { Manner } from '../agent/prompt.ts';
import { JobFailure } from '../failure.ts';
import { listPresent, listSubjects, readCommitted } from '../git/commit.ts';
import type { Look } from '../git/git-client.ts';
import type { TurnContext } from './turn-context.ts';

const names = ['pull_request_template.md', 'PULL_REQUEST_TEMPLATE.md'];
const folders = ['.github/', '', 'docs/', '.gitea/', '.forgejo/'];
/** Where code hosts look for the text that a pull request begins with. */
const templates = [
  ...folders.flatMap((folder) => names.map((name) => folder + name)),
  ...['.gitlab/merge_request_templates/Default.md', '.gitlab/merge_request_templates/default.md'],
];
const maxTemplateBytes = 16_000;
const maxSubjects = 15;

/** How pull requests look in this repository, of which a job opens one; always as its base has it. */
export async function readManner(
  { gitClient, target, lease }: TurnContext,
  base: string,
): Promise<Manner | undefined> {
  if (!target.forge || lease.record.pullRequest !== undefined) return undefined;
  return await gitClient.look(await target.access(), base, async (call) => {
    const [titles, template] = await Promise.all([
      listSubjects(call, base, maxSubjects),
      readTemplate(call, base),
    ]);
    return { titles, template };
  });
}

/** Without its hints, which are for who fills it in by hand; one that cannot be read is as good as none. */
async function readTemplate(call: Look, base: string): Promise<string | undefined> {
  const present = await listPresent(call, base, templates);
  const path = templates.find((candidate) => present.includes(candidate));
  if (path === undefined) return undefined;
  try {
    const bytes = await readCommitted(call, base, path, maxTemplateBytes);
    if (!bytes || !isUtf8(bytes)) return undefined;
    return (
      bytes
        .toString()
        .replace(/<!--[\s\S]*?-->/g, '')
        .trim() || undefined
    );
  } catch (error) {
    if (error instanceof JobFailure && error.code === 'too_large') return undefined;
    throw error;
  }
}
