/** One sentence a line, for the person who runs the server. Never an IP address, a user agent or a secret. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  /** The cause goes to the log only, with the id that the client was told. */
  error(message: string, cause?: unknown): void;
}

export function createLog(write: (line: string) => void, now: () => number): Log {
  const line = (level: string, message: string) =>
    write(`${new Date(now()).toISOString()} ${level} ${message}\n`);
  return {
    info: (message) => line('info', message),
    warn: (message) => line('warn', message),
    error: (message, cause) => {
      const detail = cause instanceof Error ? (cause.stack ?? cause.message) : (cause ?? '');
      line('error', detail === '' ? message : `${message} ${String(detail)}`);
    },
  };
}
