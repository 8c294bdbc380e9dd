import type { Log } from './log.ts';

interface ClockParts {
  /** What the machine shows, in milliseconds since 1970. */
  wall: () => number;
  /** Milliseconds that only ever grow, with the time, also while the machine sleeps. */
  uptime: () => number;
  log: Log;
}

/** The clock shows another time than it should, both in milliseconds since 1970. */
export interface Doubt {
  shows: number;
  expected: number;
}

/** Who asks more seldom than this is answered after a look at the other clock. */
const everyMs = 5000;
/** Leap seconds and what time servers correct in the usual way are less. */
const toleranceMs = 10_000;
/** A new time that stays is believed after as long as it is away, within these bounds. */
const leastMs = 60_000;
const mostMs = 3_600_000;
/** How long nobody may have been there before a clock is suspected to be ahead, which a start can find out in no other way. */
export const longSilenceMs = 7 * 24 * 3_600_000;

/**
 * The time, as far as it can be believed. When somebody sets the clock, it shows at once what it should show later or did
 * before; how long the machine has been up says otherwise. Until the clock is back, or has stayed for long enough to be
 * believed, this one goes on from the time before.
 */
export class Clock {
  readonly #parts: ClockParts;
  /** What the clock showed when the machine was started. */
  #offset: number;
  #seenAt: number;
  #doubt: { offset: number; since: number; shows: number; expected: number } | undefined;
  #notBefore = Number.NEGATIVE_INFINITY;
  #silence: { since: number; suspectUntil: number } | undefined;

  constructor(parts: ClockParts) {
    this.#parts = parts;
    const { shows, uptime } = this.#read();
    this.#offset = shows - uptime;
    this.#seenAt = shows;
  }

  /** Milliseconds since 1970. */
  readonly now = (): number => {
    const shows = this.#parts.wall();
    if (this.#doubt === undefined && shows >= this.#seenAt && shows < this.#seenAt + everyMs) return shows;
    return this.look();
  };

  /** Undefined, as nearly always: the clock is believed. As of the last `now` or `look`. */
  get doubt(): Readonly<Doubt> | undefined {
    return this.#doubt;
  }

  /** It is surely later than this: a clock that is set from before it to after it was corrected. */
  learn(notBefore: number): void {
    this.#notBefore = Math.max(this.#notBefore, notBefore);
  }

  /**
   * Nothing is known of later than this, for longer than usual: a clock that is set back to about then was ahead. Until it
   * has gone on for an hour, it is not sure enough for what cannot be undone.
   */
  suspect(silentSince: number): void {
    this.#silence = { since: silentSince, suspectUntil: this.#parts.uptime() + mostMs };
  }

  /** Whether it is sure enough for what cannot be undone. */
  get isSure(): boolean {
    if (this.#silence && this.#parts.uptime() >= this.#silence.suspectUntil) this.#silence = undefined;
    return this.#doubt === undefined && this.#silence === undefined;
  }

  /** Compares the clocks; has to be called every few seconds. Answers as `now`. */
  look(): number {
    const { shows, uptime } = this.#read();
    const expected = this.#offset + uptime;
    this.#seenAt = shows;
    if (Math.abs(shows - expected) <= toleranceMs) this.#comeBack(shows);
    else if (this.#isToBelieve(shows, expected, uptime)) this.#believe(shows);
    else return this.#distrust(shows, expected, uptime);
    this.#offset = shows - uptime;
    return shows;
  }

  #comeBack(shows: number): void {
    if (this.#doubt) this.#parts.log.info(`The clock is right again: it shows ${textOf(shows)}.`);
    this.#doubt = undefined;
  }

  #isToBelieve(shows: number, expected: number, uptime: number): boolean {
    if (expected < this.#notBefore && shows >= this.#notBefore) return true;
    if (this.#silence && Math.abs(shows - this.#silence.since) <= longSilenceMs) return true;
    return (
      this.#isSameDoubt(shows - uptime) &&
      uptime - (this.#doubt?.since ?? 0) >= believedAfterMs(shows - expected)
    );
  }

  #believe(shows: number): void {
    this.#parts.log.warn(`The clock is believed from now on: it shows ${textOf(shows)}.`);
    this.#doubt = undefined;
    this.#silence = undefined;
  }

  #distrust(shows: number, expected: number, uptime: number): number {
    if (this.#doubt && this.#isSameDoubt(shows - uptime)) {
      this.#doubt.shows = shows;
      this.#doubt.expected = expected;
      return expected;
    }
    this.#doubt = { offset: shows - uptime, since: uptime, shows, expected };
    this.#parts.log.error(
      `The clock was set while the server ran: it shows ${textOf(shows)}, and ${textOf(expected)} is expected. Until it is back no day is sealed, and views are counted only where both are on the same day; others are answered with 503. If it stays, it is believed in ${Math.ceil(believedAfterMs(shows - expected) / 60_000)} minutes, or after a restart.`,
    );
    return expected;
  }

  #isSameDoubt(offset: number): boolean {
    return this.#doubt !== undefined && Math.abs(offset - this.#doubt.offset) <= toleranceMs;
  }

  /** Both at one moment: a process may be held up between two looks. */
  #read(): { shows: number; uptime: number } {
    for (;;) {
      const before = this.#parts.uptime();
      const shows = this.#parts.wall();
      const uptime = this.#parts.uptime();
      if (uptime - before < 1000) return { shows, uptime };
    }
  }
}

function believedAfterMs(jump: number): number {
  return Math.min(Math.max(Math.abs(jump), leastMs), mostMs);
}

function textOf(at: number): string {
  return new Date(at).toISOString();
}
