/** Who wants to be called back. */
export class Listeners<News> {
  readonly #listeners = new Set<(news: News) => void>();

  /** Answers how to stop listening. */
  readonly add = (listener: (news: News) => void): (() => void) => {
    const added = (news: News) => listener(news);
    this.#listeners.add(added);
    return () => this.#listeners.delete(added);
  };

  readonly tell = (news: News): void => {
    for (const listener of this.#listeners) listener(news);
  };
}
