import { oneLine } from './letter.ts';

/** Why something was not sent, in a sentence that says what to do; without secrets. */
export class SendingTrouble extends Error {
  /** It would not go better later. */
  readonly isFinal: boolean;

  constructor(message: string, { isFinal = false, ...options }: { isFinal?: boolean } & ErrorOptions = {}) {
    super(message, options);
    this.isFinal = isFinal;
  }
}

const maxQuoted = 200;

/** What another server says, cut and in one line. */
export function quoted(text: string): string {
  return Array.from(oneLine(text)).slice(0, maxQuoted).join('');
}
