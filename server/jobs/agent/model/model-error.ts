import {
  APICallError,
  InvalidResponseDataError,
  JSONParseError,
  StreamProviderError,
  TypeValidationError,
} from 'ai';
import { findPrivateAddress } from '../../../net/reach.ts';
import { JobFailure } from '../../failure.ts';
import { parseRetryAfter } from '../../retry-after.ts';
import { excerpt } from '../../text/excerpt.ts';
import { inSettings } from '../../text/in-settings.ts';
import { AnswerCut, findFault, ModelSilent } from './answer-fault.ts';
import { type Model, urlVariables } from './model.ts';
import { type ReportedLimits, readReportedLimits } from './model-limits.ts';
import { keyVariables } from './model-name.ts';

const maxQuoteLength = 300;
/** Besides those of 500 and above. */
const passingStatuses = [408, 409, 425, 429];

interface Asked {
  model: Model;
  now: number;
  /** Takes secrets out: some servers quote the key that they refuse. */
  redact: (text: string) => string;
}

/** Turns what went wrong in a request to a model into a failure that says what to do about it. */
export function describeModelError(error: unknown, asked: Asked): JobFailure {
  const { model, redact } = asked;
  const broken = describeBrokenAnswer(error, model);
  if (broken) return broken;
  if (StreamProviderError.isInstance(error)) return describeModelError(toCallError(error), asked);
  // An answer that began well fails with the status of its beginning.
  if (APICallError.isInstance(error) && error.statusCode !== undefined && !isCutOff(error)) {
    return describeStatus(error, error.statusCode, asked);
  }
  if (findPrivateAddress(error)) {
    return settings(
      `${model.host} is in a private network. Allow it with HEADCOUNT_PRIVATE_NETWORKS, or correct ${urlVariables[model.provider]}.`,
    );
  }
  const code = findCode(error);
  if (/CERT|ERR_TLS|ERR_SSL|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return settings(
      `The certificate of ${model.host} was not accepted (${code}). Correct it or the base URL.`,
    );
  }
  if (code === 'ERR_INVALID_CHAR') {
    return settings(
      `The key in ${keyVariables[model.provider]} holds characters that no key has. Set it again.`,
    );
  }
  if (code !== '' || APICallError.isInstance(error)) {
    const cause = code === '' ? '' : ` (${code})`;
    return unavailable(
      `${model.host} could not be reached${cause}. If this goes on, check the base URL and the network.`,
    );
  }
  const words = quote(redact(error instanceof Error ? error.message : String(error)));
  return rejected(`The answer of ${model.host} was not understood: ${words} Try another model.`);
}

function describeBrokenAnswer(error: unknown, model: Model): JobFailure | undefined {
  const silent = findFault(error, ModelSilent);
  if (silent) {
    const seconds = `${Math.round(silent.ms / 1_000)} seconds`;
    return unavailable(
      silent.hasBegun
        ? `${model.host} stopped sending for ${seconds} in the middle of its answer. Try again later.`
        : `${model.host} did not answer within ${seconds}. Try again later.`,
    );
  }
  const cut = findFault(error, AnswerCut);
  if (cut?.hasBegun) {
    return unavailable(
      `${model.host} closed the connection in the middle of its answer. If this goes on, check the proxies between it and Headcount.`,
    );
  }
  const isOdd = [InvalidResponseDataError, JSONParseError, TypeValidationError].some((kind) =>
    kind.isInstance(error),
  );
  return cut || isOdd ? oddAnswer(model) : undefined;
}

function oddAnswer({ host, name }: Model): JobFailure {
  return unavailable(
    `${host} sent an answer that its API does not have. Check the base URL and the model ${name}.`,
  );
}

/** An error in the middle of an answer as the same one in place of an answer, which has a status. */
function toCallError({ message, type, code, statusCode, data }: StreamProviderError): APICallError {
  const isOurs = /invalid|context|too_large/.test(`${type} ${code}`);
  return new APICallError({
    message,
    url: '',
    requestBodyValues: undefined,
    statusCode: statusCode ?? (isOurs ? 400 : 500),
    responseBody: JSON.stringify(data),
    data,
  });
}

function isCutOff(error: APICallError): boolean {
  return error.statusCode !== undefined && error.statusCode < 300 && findCode(error) !== '';
}

function describeStatus(error: APICallError, status: number, { model, now, redact }: Asked): JobFailure {
  const { name, host } = model;
  const words = quote(redact(providerWords(error)));
  const retryAfterMs = retryAfterOf(error.responseHeaders, now);
  if (status < 300) return oddAnswer(model);
  if (isOutOfCredit(error, status)) {
    return settings(`The account at ${host} has no credit left (${status}): ${words} Add credit to it.`);
  }
  if (passingStatuses.includes(status)) {
    return unavailable(
      `${host} limits how often it may be called (${status}): ${words} Run fewer jobs at once if this goes on.`,
      retryAfterMs,
    );
  }
  if (status >= 500)
    return unavailable(`${host} is failing (${status}): ${words} Try again later.`, retryAfterMs);
  const reported = readReportedLimits(error.responseBody ?? error.message);
  const isBeyond = reported.output !== undefined || reported.context !== undefined || isContextFull(error);
  if (isBeyond) return new BeyondLimits(name, reported);
  // Google says so with 400.
  const isKeyRefused = /API_KEY_INVALID|api key not valid/i.test(error.responseBody ?? '');
  return describeRefusal(isKeyRefused ? 401 : status, words, model);
}

/** The request was more than the model reads, or asked for more than it writes. */
export class BeyondLimits extends JobFailure {
  readonly reported: ReportedLimits;

  constructor(name: string, reported: ReportedLimits) {
    const { context, output } = reported;
    const change = inSettings('--model-limits');
    super(
      'context',
      output === undefined
        ? `The conversation became too long for ${name}${context === undefined ? '' : ` (${context} tokens)`}. Ask for less, or use a model that reads more. If it reads less than Headcount takes for granted, say so ${change}.`
        : `${name} writes at most ${output} tokens in one answer: set that ${change}.`,
    );
    this.reported = reported;
  }
}

function describeRefusal(status: number, words: string, { name, host, provider }: Model): JobFailure {
  switch (status) {
    case 401:
      return settings(`${host} refused the key: ${words} Set ${keyVariables[provider]} to a valid one.`);
    case 403:
      return settings(`${host} does not let this key use ${name}: ${words} Grant access or use another key.`);
    case 404:
      return settings(
        `${host} does not have ${name}: ${words} Choose a model ${inSettings('--model')}, or correct the base URL.`,
      );
  }
  return status < 400
    ? settings(`${host} answered with a redirect (${status}). Correct the base URL.`)
    : rejected(`${host} rejected the request (${status}): ${words} Try another model.`);
}

function settings(message: string): JobFailure {
  return new JobFailure('model_settings', message);
}

function rejected(message: string): JobFailure {
  return new JobFailure('model_rejected', message);
}

function unavailable(message: string, retryAfterMs?: number): JobFailure {
  return new JobFailure('model_unavailable', message, { retryAfterMs });
}

/** OpenAI says it with 429, Anthropic with 400, others with 402. */
function isOutOfCredit(error: APICallError, status: number): boolean {
  return status === 402 || /insufficient_quota|credit balance is too low/.test(error.responseBody ?? '');
}

function isContextFull(error: APICallError): boolean {
  return (
    error.statusCode === 413 ||
    /context.{0,10}(length|window|size)|prompt is too long|too many (input )?tokens|maximum.{0,30}tokens|token count.{0,30}exceeds/i.test(
      error.responseBody ?? '',
    )
  );
}

function providerWords(error: APICallError): string {
  if (error.data !== undefined) return error.message;
  const body = error.responseBody?.trim() ?? '';
  // An error at the beginning of a stream comes so.
  if (body.includes(`"message":${JSON.stringify(error.message)}`)) return error.message;
  return body === '' || body.startsWith('<') ? error.message : body;
}

function quote(words: string): string {
  const text = words.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  if (text === '') return '(it said nothing).';
  const cut = excerpt(text, maxQuoteLength);
  return /[.!?…]$/.test(cut) ? cut : `${cut}.`;
}

/** The code of whatever lies at the bottom, such as ECONNREFUSED; empty where there is none. */
function findCode(error: unknown): string {
  for (
    let current = error, depth = 0;
    current instanceof Error && depth < 10;
    current = current.cause, depth += 1
  ) {
    if ('code' in current && typeof current.code === 'string') return current.code;
  }
  return '';
}

/** With the milliseconds that some add. */
function retryAfterOf(headers: Record<string, string> | undefined, now: number): number | undefined {
  const exact = Number(headers?.['retry-after-ms']);
  if (exact > 0) return exact;
  return parseRetryAfter(headers?.['retry-after'], now);
}
