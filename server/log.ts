import { escapeHidden, escapeLine } from '../shared/plain-text.ts';

/** One sentence a line, for the person who runs the server. Never an IP address, a user agent or a secret. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  /** The cause goes to the log only, with the id that the client got. */
  error(message: string, cause?: unknown): void;
}

export const logLevels = ['info', 'warn', 'error'] as const;
export const logFormats = ['text', 'json'] as const;

export type LogLevel = (typeof logLevels)[number];
export type LogFormat = (typeof logFormats)[number];

interface LogOptions {
  format?: LogFormat;
  /** Lines below it are left out. */
  level?: LogLevel;
  /** Of the request that is being answered. */
  requestId?: () => string | undefined;
}

interface Line {
  time: string;
  level: LogLevel;
  message: string;
  requestId: string | undefined;
  cause: string | undefined;
}

export function createLog(
  write: (line: string) => void,
  now: () => number,
  { format = 'text', level: least = 'info', requestId = () => undefined }: LogOptions = {},
): Log {
  const print = format === 'json' ? toJson : toText;
  const line = (level: LogLevel, message: string, cause?: unknown) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
    const time = new Date(now()).toISOString();
    write(print({ time, level, message, requestId: requestId(), cause: textOf(cause) }));
  };
  return {
    info: (message) => line('info', message),
    warn: (message) => line('warn', message),
    error: (message, cause) => line('error', message, cause),
  };
}

function textOf(cause: unknown): string | undefined {
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause ?? '');
  return text === '' ? undefined : text;
}

function toText({ time, level, message, requestId, cause }: Line): string {
  const request = requestId === undefined || message.includes(requestId) ? '' : `(request ${requestId})`;
  const parts = [time, level, escapeLine(message), request, causeLines(cause ?? '')];
  return `${parts.filter((part) => part !== '').join(' ')}\n`;
}

/** Several, as a stack has. Only a line of the log itself begins with a time. */
function causeLines(cause: string): string {
  return escapeHidden(cause).replace(/\n(?=[^\S\n]*\d{4}-\d\d-\d\dT)/g, '\\n');
}

/** With the names that pino gives them; pino itself takes megabytes that a server at rest can do without. */
function toJson({ time, level, message, requestId, cause }: Line): string {
  return `${escapeHidden(JSON.stringify({ level, time, msg: message, requestId, err: cause }))}\n`;
}
