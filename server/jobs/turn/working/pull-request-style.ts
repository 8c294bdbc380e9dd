import type { PullRequestStyle } from '../../agent/prompt.ts';
import type { Look } from '../../git/access.ts';
import { listSubjects } from '../../git/commit.ts';
import type { TurnContext } from '../turn-context.ts';
import { readFirstText } from './reviewed-text.ts';

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
export async function readPullRequestStyle(
  { gitClient, target, lease }: TurnContext,
  base: string,
): Promise<PullRequestStyle | undefined> {
  if (!target.forge || lease.record.pullRequest !== undefined) return undefined;
  return await gitClient.look(await target.access(), base, async (call) => {
    const [titles, template] = await Promise.all([
      listSubjects(call, base, maxSubjects),
      readTemplate(call, base),
    ]);
    return { titles, template };
  });
}

/** Without its hints, which are for who fills it in by hand. */
async function readTemplate(call: Look, base: string): Promise<string | undefined> {
  const text = await readFirstText(call, base, templates, maxTemplateBytes);
  return text?.replace(/<!--[\s\S]*?-->/g, '').trim() || undefined;
}
