import { tokenKeyOf } from '../../../projects/repository-tokens.ts';
import type { OtherRepositories } from '../../agent/tools/others.ts';
import { JobFailure } from '../../failure.ts';
import { plainCredential } from '../../forge/forges.ts';
import type { RepositoryAccess } from '../../git/access.ts';
import { parseRepository } from '../../git/repository.ts';
import type { Workspace } from '../../git/workspace/workspace.ts';
import type { TurnContext } from '../turn-context.ts';

/** The repositories that a project lets its agents read besides its own, each opened when it is first asked for. */
export class OpenRepositories implements OtherRepositories {
  readonly addresses: readonly string[];
  readonly #context: TurnContext;
  readonly #opened = new Map<string, Promise<Workspace>>();

  constructor(context: TurnContext) {
    this.addresses = context.project.settings.agentRepositories;
    this.#context = context;
  }

  open = (address: string): Promise<Workspace> => {
    const opened = this.#opened.get(address) ?? this.#open(address);
    this.#opened.set(address, opened);
    // What failed is tried again when it is asked for again.
    opened.catch(() => this.#opened.delete(address));
    return opened;
  };

  async #open(address: string): Promise<Workspace> {
    const { gitClient } = this.#context;
    const access = this.#accessTo(address);
    const commit = await gitClient.findTip(access);
    if (commit === null) throw new JobFailure('empty_repository', `${address} has no commit.`);
    return await gitClient.openWorkspace(access, commit, { onDemand: true });
  }

  /** With the token for this repository, and with no other. */
  #accessTo(address: string): RepositoryAccess {
    const { services, target, lease } = this.#context;
    const repository = parseRepository(address, services.config.jobs.git.protocols);
    const token = target.repositoryTokens.get(tokenKeyOf(repository));
    const credential = token === undefined ? undefined : plainCredential(repository, token);
    return { repository, credential, signal: lease.signal };
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#opened.values());
    for (const one of opened) if (one.status === 'fulfilled') await one.value.close();
  }
}
