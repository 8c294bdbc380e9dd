/** A signature that is bad whatever the keys are; the message says why, in a sentence. */
export class SignatureError extends Error {}

/** A signature that may be good but cannot be judged with what is known here. */
export class UnjudgedError extends Error {}
