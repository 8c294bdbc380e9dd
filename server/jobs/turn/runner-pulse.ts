/** Longer than a runner ever waits by itself, also when git is missing. */
const maxSilenceMs = 120_000;

/** Signs of life of the runner of jobs. */
export class RunnerPulse {
  readonly #maxSilenceMs: number;
  #beatAt: number | undefined;

  constructor(silenceMs = maxSilenceMs) {
    this.#maxSilenceMs = silenceMs;
  }

  beat(): void {
    this.#beatAt = performance.now();
  }

  /** `off`: none was started, as no jobs are to be run here. */
  get state(): 'off' | 'alive' | 'stuck' {
    if (this.#beatAt === undefined) return 'off';
    return performance.now() - this.#beatAt < this.#maxSilenceMs ? 'alive' : 'stuck';
  }
}
