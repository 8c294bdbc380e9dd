import type { ForgeKind } from '../../../shared/jobs/forge.ts';
import { createGuardedFetch } from '../../net/guarded-fetch.ts';
import { SecretError } from '../../projects/key-file.ts';
import type { SigningKey } from '../../projects/private-key.ts';
import type { LiveProject } from '../../projects/registry.ts';
import { readRepositoryTokens } from '../../projects/repository-tokens.ts';
import type { SecretTexts } from '../../projects/secrets.ts';
import { parseSigningKey } from '../../projects/signing-key.ts';
import type { Job } from '../../store/jobs/job.ts';
import type { Credential } from '../credential.ts';
import { JobFailure } from '../failure.ts';
import type { ForgeAuth } from '../forge/auth.ts';
import type { Fetch } from '../forge/call.ts';
import type { Forge } from '../forge/forge.ts';
import { detectForge, openForge, plainCredential } from '../forge/forges.ts';
import type { ForgeMemory } from '../forge/memory.ts';
import type { RepositoryAccess } from '../git/access.ts';
import { parseRepository, type Repository } from '../git/repository.ts';
import { inSettings } from '../text/in-settings.ts';
import { isSameByNow } from './moved-repository.ts';
import type { JobServices } from './services.ts';

type SetProject = Pick<LiveProject, 'id' | 'settings'>;
type TargetServices = Pick<JobServices, 'config' | 'secrets' | 'store' | 'now'>;

/** Where the work of a job goes. */
export interface Target {
  repository: Repository;
  /** Undefined: plain git, branches are pushed and nothing is opened. */
  forge: Forge | undefined;
  /** Tokens may be short-lived: ask for it anew before each step. */
  access(): Promise<RepositoryAccess>;
  /** Of other repositories, by tokenKeyOf. */
  repositoryTokens: ReadonlyMap<string, string>;
  /** Signs what git signs of a commit; undefined: commits are not signed. */
  signingKey: SigningKey | undefined;
  /** What must turn up nowhere. */
  secrets: string[];
}

/** @param memory of who asks again and again @throws JobFailure */
export async function openTarget(
  services: TargetServices,
  job: Pick<Job, 'repository'>,
  project: SetProject,
  signal: AbortSignal,
  memory?: ForgeMemory,
): Promise<Target> {
  const { repository, earlier } = requireRepository(services, job, project);
  const texts = await readSecrets(services, project.id);
  const auth = authOf(project, texts);
  const guarded = createGuardedFetch(services.config.jobs.mayReach);
  const fetch = memory?.remembering(guarded) ?? guarded;
  const kind = await chooseForge(project, repository, auth !== undefined, { fetch, signal, memory });
  const apiUrl = project.settings.forgeUrl ?? undefined;
  const { now } = services;
  const open = (at: Repository) =>
    kind && auth && openForge({ kind, repository: at, apiUrl, auth, fetch, now });
  const forge = open(repository);
  if (earlier) {
    const present = { address: project.settings.repository ?? '', repository };
    const addresses = { earlier: { address: job.repository, repository: earlier }, present };
    const isSame = await isSameByNow(services, project.id, { ...addresses, open, signal });
    if (!isSame) throw otherRepository(present.address, earlier);
  }
  const credential = async (): Promise<Credential | undefined> => {
    if (forge) return await forge.credential();
    return texts.forgeToken ? plainCredential(repository, texts.forgeToken) : undefined;
  };
  const signingKey = readSigningKey(texts, project.id);
  const shortLived = (await credential())?.password;
  const repositoryTokens = readRepositoryTokens(texts.repositoryTokens ?? '') ?? new Map<string, string>();
  return {
    repository,
    forge,
    access: async () => ({ repository, credential: await credential(), signal }),
    repositoryTokens,
    signingKey,
    secrets: [
      ...Object.values(texts),
      ...repositoryTokens.values(),
      ...(shortLived ? [shortLived] : []),
      ...secretsOf(services),
    ],
  };
}

/**
 * The project's token is for its present repository, and must not be sent to another one.
 * @returns `earlier`: where the job's was, as far as that differs @throws JobFailure
 */
function requireRepository(
  { config }: TargetServices,
  job: Pick<Job, 'repository'>,
  { settings }: SetProject,
): { repository: Repository; earlier?: Repository } {
  const { protocols } = config.jobs.git;
  const repository = parseRepository(job.repository, protocols);
  if (settings.repository === null) throw otherRepository('no repository', repository);
  const present = parseRepository(settings.repository, protocols);
  return present.url === repository.url ? { repository } : { repository: present, earlier: repository };
}

function otherRepository(present: string, { url }: Repository): JobFailure {
  return new JobFailure(
    'bad_repository',
    `The project works on ${present} now, and this job on ${url}: create a new job.`,
  );
}

async function readSecrets(services: TargetServices, projectId: string): Promise<SecretTexts> {
  try {
    return await services.secrets.read(projectId);
  } catch (error) {
    if (error instanceof SecretError) throw new JobFailure('auth', error.message, { cause: error });
    throw error;
  }
}

/** @throws JobFailure where it is none, as only another installation can have stored it */
function readSigningKey({ signingKey }: SecretTexts, projectId: string): SigningKey | undefined {
  if (signingKey === undefined) return undefined;
  try {
    return parseSigningKey(signingKey);
  } catch (error) {
    const message = `The key that signs commits cannot be read: set it again ${inSettings(`${projectId} --signing-key-stdin`)}.`;
    throw new JobFailure('auth', message, { cause: error });
  }
}

function authOf({ settings }: SetProject, texts: SecretTexts): ForgeAuth | undefined {
  if (settings.githubAppId !== null && texts.githubAppKey) {
    return {
      kind: 'app',
      appId: settings.githubAppId,
      privateKey: texts.githubAppKey,
      installationId: settings.githubInstallationId ?? undefined,
    };
  }
  return texts.forgeToken ? { kind: 'token', token: texts.forgeToken } : undefined;
}

async function chooseForge(
  { id, settings }: SetProject,
  repository: Repository,
  hasAuth: boolean,
  { memory, ...call }: { fetch: Fetch; signal: AbortSignal; memory: ForgeMemory | undefined },
): Promise<ForgeKind | undefined> {
  if (settings.forge === 'none') return undefined;
  if (hasAuth) {
    if (settings.forge !== 'auto') return settings.forge;
    const detect = () => detectForge(repository, call);
    return await (memory?.kindAt(repository.origin, detect) ?? detect());
  }
  if (settings.forge === 'auto') return undefined;
  throw new JobFailure(
    'auth',
    `Pull requests need a token: set one ${inSettings(`${id} --forge-token-stdin`)}, or choose to push branches only.`,
  );
}

/** Of the installation, not of the project. */
function secretsOf({ config, secrets }: TargetServices): string[] {
  const given = Object.entries(config.jobs.agentEnvironment).filter(([name]) =>
    /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i.test(name),
  );
  return [...config.secretTexts, ...given.map(([, value]) => value), ...secrets.ownTexts()];
}
