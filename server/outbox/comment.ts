import type { Context } from '../context.ts';
import { JobFailure } from '../jobs/failure.ts';
import { below } from '../jobs/forge/forge.ts';
import { numberInLink } from '../jobs/forge/pull-link.ts';
import { createRedactor } from '../jobs/text/redaction.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { Notification } from './notification.ts';
import { SendingTrouble } from './trouble.ts';

/** Shorter than others wait until they try it themselves. */
const callMs = 2 * 60_000;

/** Comments on a pull request, unless an earlier try has. @throws SendingTrouble */
export async function postComment(
  services: Pick<Context, 'config' | 'secrets' | 'store' | 'now'>,
  project: LiveProject,
  { url, notification, signal: stopping }: { url: string; notification: Notification; signal: AbortSignal },
): Promise<void> {
  const { repository, reportEffects } = project.settings;
  const number = numberInLink(url);
  if (!reportEffects || repository === null || number === undefined) {
    throw new SendingTrouble('Comments on effects are turned off in the settings of the project.', {
      isFinal: true,
    });
  }
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(callMs)]);
  try {
    const { openTarget } = await import('../jobs/turn/target.ts');
    const { forge, secrets } = await openTarget(services, { repository }, project, signal);
    const pull = await forge?.findPullRequest(number, signal);
    // The project may work on another repository now.
    if (!forge || pull?.url !== url) {
      throw new SendingTrouble('The pull request is not in the repository of the project.', {
        isFinal: true,
      });
    }
    const redact = createRedactor(secrets);
    const paragraphs = notification.paragraphs.map(redact);
    const signature = paragraphs.at(-1)?.split('\n').at(-1) ?? '';
    const comment = { text: paragraphs.join('\n\n'), signature, since: Number(notification.facts.since) };
    await forge.comment(pull, below, comment, signal);
  } catch (error) {
    if (error instanceof JobFailure) throw new SendingTrouble(error.message, { cause: error });
    throw error;
  }
}
