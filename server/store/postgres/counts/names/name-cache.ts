/** What stands for a text, by what it names: numbers of a project's names are never used again. */
const maxNames = 200_000;
const maxCharacters = 16_000_000;

/** Numbers of names, remembered as far as there is room: what was not asked for in a long time is forgotten. */
export class NameCache {
  #young = new Map<string, number>();
  #old = new Map<string, number>();
  #characters = 0;

  get(key: string): number | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, id: number): void {
    this.#characters += key.length;
    if (this.#young.size >= maxNames || this.#characters >= maxCharacters) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = key.length;
    }
    this.#young.set(key, id);
  }

  forget(): void {
    this.#young.clear();
    this.#old.clear();
    this.#characters = 0;
  }
}
