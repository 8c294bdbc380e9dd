import type { Log } from '../log.ts';
import type { LiveProject, Registry } from '../projects/registry.ts';
import type { ProjectStore } from '../store/projects.ts';
import { isNewHost } from '../store/seen-hosts.ts';

interface Parts {
  store: Pick<ProjectStore, 'noteHost'>;
  registry: Pick<Registry, 'catchUp'>;
  log: Log;
}

/** Notes on which hosts the pages of a project are, so that its owner can say which of them are the site. */
export class SeenHosts {
  readonly #parts: Parts;
  /** By project and host: what is being noted. */
  readonly #noting = new Map<string, Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** After a view was counted. */
  note({ id, settings: { seenHosts } }: LiveProject, host: string): void {
    if (seenHosts.includes(host) || !isNewHost(seenHosts, host)) return;
    const key = `${id} ${host}`;
    if (this.#noting.has(key)) return;
    const noting = this.#note(id, host).finally(() => this.#noting.delete(key));
    this.#noting.set(key, noting);
  }

  async settle(): Promise<void> {
    await Promise.all(this.#noting.values());
  }

  async #note(projectId: string, host: string): Promise<void> {
    const { store, registry, log } = this.#parts;
    try {
      // Hosts of many projects may be new at once: all of them are read together.
      if (await store.noteHost(projectId, host)) await registry.catchUp();
    } catch (error) {
      // The next view of the host tries again.
      log.error('A host that was counted could not be noted:', error);
    }
  }
}
