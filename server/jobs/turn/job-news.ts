/** What the API did to a job: a turn waits, or the work on it shall stop. */
export interface News {
  kind: 'queued' | 'archived';
  jobId: string;
}

type Listener = (news: News) => void;

/**
 * Spares the runner of this process the wait until it asks the store again. Only a hint: other processes hear nothing,
 * and find out by the store and by the leases they lose.
 */
export class JobNews {
  readonly #listeners = new Set<Listener>();

  /** Answers how to stop listening. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(news: News): void {
    for (const listener of this.#listeners) listener(news);
  }
}
