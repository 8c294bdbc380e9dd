/** A signature that is bad with any key; the message says why, in a sentence. */
export class SignatureError extends Error {}

/** A signature that may be good but cannot be checked with what is known here. */
export class UncheckedError extends Error {}
