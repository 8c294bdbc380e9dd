/** A backup that cannot be made or read; the message says why, and holds no secret. */
export class BackupError extends Error {}
