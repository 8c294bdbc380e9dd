/** A clock that tests turn by hand. */
export interface TestClock {
  now: () => number;
  set(time: string): void;
  /** Moves on by milliseconds. */
  advance(ms: number): void;
}

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

export function createClock(start: string): TestClock {
  let at = Date.parse(start);
  return {
    now: () => at,
    set: (time) => {
      at = Date.parse(time);
    },
    advance: (ms) => {
      at += ms;
    },
  };
}
