/** Wakes one sleeper before its time. A ring that nobody hears is for the next sleep. */
export class Alarm {
  #isRung = false;
  #wake: () => void = () => {};

  readonly ring = (): void => {
    this.#isRung = true;
    this.#wake();
  };

  /** @returns whether it was woken */
  async sleep(ms: number): Promise<boolean> {
    if (!this.#isRung) await this.#rest(ms);
    const wasRung = this.#isRung;
    this.#isRung = false;
    return wasRung;
  }

  async #rest(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
