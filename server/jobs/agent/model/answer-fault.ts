/** Models write less than this in one answer; what is longer is a fault, and would fill the memory. */
export const maxAnswerLength = 2 * 1024 * 1024;

/** The model's server sent more than a completion can be. */
export class CompletionTooLarge extends Error {}

/** The model's server said nothing for so long. */
export class ModelSilent extends Error {
  readonly ms: number;
  readonly hasBegun: boolean;

  constructor(ms: number, hasBegun: boolean) {
    super();
    this.ms = ms;
    this.hasBegun = hasBegun;
  }
}

/** The stream ended before the answer did. */
export class AnswerCut extends Error {
  readonly hasBegun: boolean;

  constructor(hasBegun: boolean) {
    super();
    this.hasBegun = hasBegun;
  }
}

/** The model's server does not stream. */
export class AnsweredWhole extends Error {}

/** The one of this kind at the bottom of an error, which the AI SDK may have wrapped. */
export function findFault<Fault extends Error>(
  error: unknown,
  kind: abstract new (...args: never[]) => Fault,
): Fault | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 10; depth += 1) {
    if (current instanceof kind) return current;
    current = current.cause;
  }
  return undefined;
}
