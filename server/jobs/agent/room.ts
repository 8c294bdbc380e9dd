import type { ModelLimits } from '../../../shared/jobs/model-limits.ts';
import { leaveOutResults, lengthOf } from './compaction.ts';
import { capTexts, type Message } from './message.ts';
import type { Model } from './model/model.ts';
import { knownLimits, type ReportedLimits, setLimits } from './model/model-limits.ts';

/** Characters of JSON; text of most languages and code have more for each token. */
const lengthOfToken = 3;
/** Of what the model takes at once, at most so much is kept free for its answer. */
const answerShare = 0.25;
const usualAnswer = 8_000;
/** What is asked has to fit, whatever else does not. */
const leastLength = 4_000;

/** How much may be sent to the model in use, and how much it may answer. */
export interface Room {
  /** Of a conversation, in characters of JSON, from which on it is made shorter. */
  contextLength: number;
  /** More than this the model does not read; undefined: nobody knows. */
  length: number | undefined;
  /** Tokens of an answer, as requests say; undefined: as many as the server allows. */
  maxOutputTokens: number | undefined;
}

interface Asked {
  model: Pick<Model, 'name' | 'provider'>;
  /** Of the project, for models. */
  settings: readonly string[];
  /** In characters, what is sent besides the conversation. */
  beside: number;
  /** From where on conversations are made shorter, whatever the model can read. */
  usual: number;
}

export function roomOf({ model, settings, beside, usual }: Asked): Room {
  const known = knownLimits(model.name);
  const set = setLimits(model.name, settings);
  const limits = { context: set.context ?? known.context, output: set.output ?? known.output };
  const length = lengthIn(limits, lengthOfToken, beside);
  const contextLength = length === undefined ? usual : set.context ? length : Math.min(usual, length);
  // Anthropic's API wants a bound; those of others may allow more than is known.
  const maxOutputTokens = model.provider === 'anthropic' ? limits.output : set.output;
  return { contextLength, length, maxOutputTokens };
}

function lengthIn({ context, output }: ModelLimits, perToken: number, beside: number): number | undefined {
  if (context === undefined) return undefined;
  const answer = Math.min(output ?? usualAnswer, context * answerShare);
  return Math.max(leastLength, Math.floor((context - answer) * perToken) - beside);
}

/** What the server of the model has said of it, which goes before all else. @param sent how long the conversation was */
export function roomAfter(
  room: Room,
  reported: ReportedLimits,
  { sent, beside }: { sent: number; beside: number },
): Room {
  if (reported.output !== undefined) return { ...room, maxOutputTokens: reported.output };
  const perToken = reported.sent === undefined ? lengthOfToken : (sent + beside) / reported.sent;
  const named = lengthIn(
    { context: reported.context, output: room.maxOutputTokens },
    perToken * 0.95,
    beside,
  );
  // What was refused was too long, whatever the numbers say.
  const length = Math.floor(Math.min(named ?? Number.POSITIVE_INFINITY, sent * 0.6));
  return { ...room, length, contextLength: Math.min(room.contextLength, length) };
}

/** The results of tools in full, and then less and less of each. */
const caps = [40_000, 20_000, 10_000, 5_000, 2_500, 1_200];

/** A conversation that the model can read, as far as leaving out results of tools helps. */
export function shortenTo(messages: Message[], { length }: Room): Message[] {
  if (length === undefined || lengthOf(messages) <= length) return messages;
  let shorter = leaveOutResults(messages, length);
  for (const cap of caps) {
    if (lengthOf(shorter) <= length) break;
    shorter = capTexts(shorter, cap);
  }
  return shorter;
}
