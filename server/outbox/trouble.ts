/** Why a delivery was not sent, in a sentence that says what to do; without secrets. */
export class SendingTrouble extends Error {
  /** Another try would fail, too. */
  readonly isFinal: boolean;

  constructor(message: string, { isFinal = false, ...options }: { isFinal?: boolean } & ErrorOptions = {}) {
    super(message, options);
    this.isFinal = isFinal;
  }
}
