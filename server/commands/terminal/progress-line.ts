const barWidth = 24;
const redrawMs = 100;
const plainMs = 10_000;

interface State {
  lines: number;
  hits: number;
  done: number;
  size: number;
}

interface Screen {
  /** Lines can be drawn over. */
  isTerminal: boolean;
  write: (text: string) => void;
  now: () => number;
  /** Further counts besides lines. */
  of?: string;
}

/** Says how far an import is: in place on a terminal, as a line now and then elsewhere. */
export class ProgressLine {
  readonly #screen: Screen;
  readonly #startedAt: number;
  #shownAt: number;
  #first: State | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
    this.#startedAt = screen.now();
    this.#shownAt = this.#startedAt;
  }

  update(state: State): void {
    this.#first ??= state;
    const { isTerminal, now, write } = this.#screen;
    const at = now();
    if (at - this.#shownAt < (isTerminal ? redrawMs : plainMs)) return;
    this.#shownAt = at;
    const text = this.#describe(state, at);
    write(isTerminal ? `\r${text}\x1b[K` : `${text}\n`);
  }

  /** Removes the line from the terminal. */
  clear(): void {
    if (this.#screen.isTerminal) this.#screen.write('\r\x1b[K');
  }

  #describe(state: State, at: number): string {
    const seconds = Math.max(0.001, (at - this.#startedAt) / 1000);
    const rate = (state.lines - (this.#first?.lines ?? 0)) / seconds;
    const words = [
      `${counted(state.lines)} lines`,
      `${counted(state.hits)} ${this.#screen.of ?? 'hits'}`,
      `${counted(Math.round(rate))} lines/s`,
    ];
    if (state.size === 0) return words.join(', ');
    const share = Math.min(1, state.done / state.size);
    const read = state.done - (this.#first?.done ?? 0);
    if (read > 0) words.push(`${duration(((state.size - state.done) / read) * seconds)} left`);
    const percent = `${Math.floor(share * 100)} %`.padStart(5);
    return `${this.#screen.isTerminal ? `${bar(share)} ` : ''}${percent}  ${words.join(', ')}`;
  }
}

function bar(share: number): string {
  const full = Math.round(share * barWidth);
  return `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}]`;
}

export function counted(value: number): string {
  return value.toLocaleString('en-US');
}

function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const minutes = Math.floor(whole / 60);
  return minutes >= 60
    ? `${Math.floor(minutes / 60)} h ${minutes % 60} min`
    : `${minutes}:${String(whole % 60).padStart(2, '0')}`;
}
