import type { PullRequestStyle } from '../../agent/prompt.ts';
import type { Look } from '../../git/access.ts';
import { listSubjects } from '../../git/commit.ts';
import type { Workspace } from '../../git/workspace/workspace.ts';
import type { TurnContext } from '../turn-context.ts';
import { readFirstText } from './reviewed-text.ts';

const names = ['pull_request_template.md', 'PULL_REQUEST_TEMPLATE.md'];
const folders = ['.github/', '', 'docs/', '.gitea/', '.forgejo/'];
/** Where code hosts look for the text that a pull request begins with. */
const templates = [
  ...folders.flatMap((folder) => names.map((name) => folder + name)),
  ...['.gitlab/merge_request_templates/Default.md', '.gitlab/merge_request_templates/default.md'],
];
/** Folders of several templates, as GitHub, Gitea, Forgejo and GitLab have them. */
const choice =
  /^(?:(?:\.github|docs|\.gitea|\.forgejo)\/)?pull_request_template\/[^/]+\.md$|^\.gitlab\/merge_request_templates\/[^/]+\.md$/i;
const maxTemplates = 8;
const maxTemplateBytes = 16_000;
const maxSubjects = 15;

/** How pull requests look in this repository, of which a job opens one; always as its base has it. */
export async function readPullRequestStyle(
  { gitClient, target, lease }: TurnContext,
  workspace: Pick<Workspace, 'commit' | 'files'>,
): Promise<PullRequestStyle | undefined> {
  if (!target.forge || lease.record.pullRequest !== undefined) return undefined;
  const access = await target.access();
  const base = lease.record.base ?? workspace.commit;
  const paths =
    base === workspace.commit
      ? workspace.files.map(({ path }) => path)
      : await gitClient.listFiles(access, base);
  return await gitClient.look(access, base, async (call) => {
    const [titles, template] = await Promise.all([
      listSubjects(call, base, maxSubjects),
      readTemplate(call, base),
    ]);
    return { titles, template: template ?? (await readChoice(call, base, paths)) };
  });
}

/** Several, of which one is chosen as a pull request is opened: together, each with its name. */
async function readChoice(call: Look, base: string, paths: readonly string[]): Promise<string | undefined> {
  const found = paths.filter((path) => choice.test(path)).slice(0, maxTemplates);
  const texts: string[] = [];
  for (const path of found) {
    const text = await readFirstText(call, base, [path], maxTemplateBytes);
    const plain = text && withoutHints(text);
    if (plain) texts.push(found.length === 1 ? plain : `${path}:\n\n${plain}`);
  }
  if (texts.length < 2) return texts[0];
  return `(One of these, whichever fits the change best, without its name.)\n\n${texts.join('\n\n')}`;
}

/** Without its hints, which are for who fills it in by hand. */
async function readTemplate(call: Look, base: string): Promise<string | undefined> {
  const text = await readFirstText(call, base, templates, maxTemplateBytes);
  return text && withoutHints(text);
}

function withoutHints(text: string): string | undefined {
  return text.replace(/<!--[\s\S]*?-->/g, '').trim() || undefined;
}
