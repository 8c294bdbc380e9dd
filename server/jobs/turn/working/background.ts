import { findGuidance, type GuidanceFile, type GuidanceSource } from '../../agent/guidance.ts';
import { type Background, describeOrigin } from '../../agent/prompt.ts';
import { describeSite, type KnownSite, learnSite } from '../../site/known-site.ts';
import type { TreeFiles } from '../../site/tree-files.ts';
import type { TurnContext } from '../turn-context.ts';
import { readFirstText } from './reviewed-text.ts';

const maxGuidanceBytes = 256_000;

export interface Known {
  knownSite: KnownSite;
  background: Background;
}

/** @param files those of the commit that the turn begins with @param reviewed what `findReviewed` answers */
export async function gatherBackground(
  context: TurnContext,
  files: TreeFiles,
  reviewed: Promise<string | undefined>,
): Promise<Known> {
  const { project, lease, services } = context;
  const { base, branch = '', baseBranch = '', origin } = lease.record;
  const knownSite = await learnSite(files, project.settings.docsFolder);
  const now = Temporal.Instant.fromEpochMilliseconds(services.now());
  const today = now.toZonedDateTimeISO(project.settings.timeZone).toPlainDate().toString();
  const commit = await reviewed;
  const source = commit === base ? files : commit && (await openReviewed(context, commit));
  const guidance: GuidanceFile[] = source ? await findGuidance(source, knownSite.site.root) : [];
  const site = await describeSite(knownSite, { today, branch, baseBranch });
  return { knownSite, background: { site, origin: origin && describeOrigin(origin), guidance } };
}

/**
 * The commit whose conventions hold: that of the base branch, as nobody has reviewed what the job's own branch has. Undefined
 * where the base branch is gone.
 */
export async function findReviewed({ lease, gitClient, target }: TurnContext): Promise<string | undefined> {
  const { base, baseBranch = '', baseTip, expectedTip } = lease.record;
  if (expectedTip === null || expectedTip === undefined) return base;
  if (baseTip !== undefined) return baseTip ?? undefined;
  // As a version before this one recorded it.
  return (await gitClient.findTip(await target.access(), baseBranch)) ?? undefined;
}

async function openReviewed({ gitClient, target }: TurnContext, commit: string): Promise<GuidanceSource> {
  const access = await target.access();
  return {
    paths: await gitClient.listFiles(access, commit),
    read: (path) =>
      gitClient.look(access, commit, (call) => readFirstText(call, commit, [path], maxGuidanceBytes)),
  };
}
