import { type ModelMessage, modelMessageSchema } from 'ai';
import { z } from 'zod';
import type { JobImage } from '../../store/jobs/job-image.ts';
import { excerpt } from '../text/excerpt.ts';
import type { ToolResult } from './tools/tool.ts';

/**
 * One message of a conversation, as JSON can hold it. Its inside belongs to the AI SDK and differs between majors, so
 * it is made and read in this file only.
 */
export type Message = ModelMessage;

export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
  /** What is wrong with the call itself; then it cannot be run. */
  fault?: string;
}

/** What is kept of one tool's input or output when its turn is over. */
const maxKeptLength = 1_000;
/** Of all earlier turns together, in characters of JSON; about 50,000 tokens. */
const maxHistoryLength = 200_000;

const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } };

export function systemMessage(text: string) {
  return { role: 'system' as const, content: text, providerOptions: cached };
}

export function userMessage(text: string): Message {
  return { role: 'user', content: text };
}

/** What is asked, with places for what came with it; the contents are kept once, and put there as it is sent. */
export function requestMessage(prompt: string, images: readonly Picture[] = []): Message {
  if (images.length === 0) return userMessage(prompt);
  const places = images.flatMap(({ number, name, type }) => [
    { type: 'text' as const, text: nameOf(number, name) },
    {
      type: 'file' as const,
      mediaType: type,
      data: { type: 'reference' as const, reference: placeOf(number) },
    },
  ]);
  return { role: 'user', content: [{ type: 'text', text: prompt }, ...places] };
}

export type Picture = Pick<JobImage, 'number' | 'name' | 'type' | 'content'>;

const nameOf = (number: number, name: string) => `Image ${number}, ${JSON.stringify(name)}:`;
const placeOf = (number: number) => ({ headcount: String(number) });

/** With the images in their places, or words where they cannot be seen. */
export function withImages(
  messages: readonly Message[],
  images: readonly Picture[],
  isSeen: boolean,
): Message[] {
  return messages.map((message) => {
    if (message.role !== 'user' || typeof message.content === 'string') return message;
    const content = message.content.map((part): typeof part => {
      const number = part.type === 'file' ? numberIn(part.data) : undefined;
      if (number === undefined) return part;
      const image = images.find((one) => one.number === number);
      if (!isSeen || !image) return { type: 'text', text: '(It cannot be seen here.)' };
      return { type: 'file', mediaType: image.type, data: image.content };
    });
    return { ...message, content };
  });
}

function numberIn(data: unknown): number | undefined {
  const place = z.object({ reference: z.object({ headcount: z.string() }) }).safeParse(data);
  return place.success ? Number(place.data.reference.headcount) : undefined;
}

export function toolMessage(results: readonly { call: ToolCall; result: ToolResult }[]): Message {
  return {
    role: 'tool',
    content: results.map(({ call, result }) => ({
      type: 'tool-result',
      toolCallId: call.id,
      toolName: call.name,
      output: { type: result.ok ? 'text' : 'error-text', value: result.output },
    })),
  };
}

const noteStart = '(A note of Headcount, which runs you, and not of a person: ';

/** A message of the server to the model, such as how an earlier turn ended. */
export function noteMessage(text: string): Message {
  return userMessage(`${noteStart}${text})`);
}

export function readNote({ role, content }: Message): string | undefined {
  const isNote = role === 'user' && typeof content === 'string' && content.startsWith(noteStart);
  return isNote ? content.slice(noteStart.length) : undefined;
}

/** Some servers of open models leave what a model thought in front of what it says. */
const thoughts = /^\s*<think>[\s\S]*?<\/think>/;

/** What a model says, without what it thought. */
export function spokenText(text: string): string {
  return text.replace(thoughts, '').trim();
}

/** What a message of the model says, and the tools it calls. */
export function readAnswer({ role, content }: Message): { text: string; calls: ToolCall[] } | undefined {
  if (role !== 'assistant') return undefined;
  if (typeof content === 'string') return { text: spokenText(content), calls: [] };
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const calls = content.flatMap((part): ToolCall[] =>
    part.type === 'tool-call' ? [{ id: part.toolCallId, name: part.toolName, input: part.input }] : [],
  );
  return { text: spokenText(texts.join('')), calls };
}

/** The ids of the calls that succeeded, from a message of results. */
export function readSuccesses({ role, content }: Message): ReadonlySet<string> {
  if (role !== 'tool') return new Set();
  return new Set(
    content.flatMap((part) =>
      part.type === 'tool-result' && part.output.type === 'text' ? [part.toolCallId] : [],
    ),
  );
}

/**
 * Everything up to here is the same in the next request: providers that get a cache mark there charge a tenth for it. The end of the
 * request before is marked, too, as a provider looks back for it some parts only, and calls side by side are many parts.
 */
export function markForCache(messages: readonly Message[]): Message[] {
  const last = messages.length - 1;
  const before = messages.findLastIndex(({ role }) => role === 'assistant') - 1;
  return messages.map((message, index) =>
    index === last || index === before ? { ...message, providerOptions: cached } : message,
  );
}

/** For another model: what was said and done, and nothing that only the one that wrote it can use. */
export function withoutProvider(messages: readonly Message[]): Message[] {
  return messages.map((message) => {
    if (message.role !== 'assistant' || typeof message.content === 'string') return message;
    const content = message.content.flatMap((part): Exclude<typeof message.content, string> => {
      if (part.type === 'text') return [{ type: 'text', text: part.text }];
      if (part.type !== 'tool-call') return [];
      const { type, toolCallId, toolName, input } = part;
      return [{ type, toolCallId, toolName, input }];
    });
    return { role: 'assistant', content };
  });
}

/** Messages as they were stored; none where another version stored them in a form that is no longer read. */
export function parseMessages(stored: unknown): Message[] {
  const parsed = modelMessageSchema.array().safeParse(stored);
  return parsed.success ? parsed.data : [];
}

/** Earlier turns as they were sent, so that a provider finds them in its cache; shortened where they are too long. */
export function keepHistory(messages: readonly Message[]): Message[] {
  const isWhole = messages.every((message, index) => {
    const answered = readAnswered(messages[index + 1]);
    return readAnswer(message)?.calls.every(({ id }) => answered.has(id)) ?? true;
  });
  const fits = JSON.stringify(messages).length <= maxHistoryLength;
  return isWhole && fits ? [...messages] : shortenHistory(messages);
}

/**
 * Earlier turns as a new turn should see them: what was said and done, without the contents of files, which people may
 * have changed since, and without what only the model that wrote it can use. The oldest go first where it is too much.
 */
export function shortenHistory(messages: readonly Message[]): Message[] {
  const short = messages
    .map((message, index) => shortenMessage(message, readAnswered(messages[index + 1])))
    .filter(({ content }) => content.length > 0);
  let length = 0;
  let first = short.length;
  for (const [index, message] of [...short.entries()].reverse()) {
    length += JSON.stringify(message).length;
    if (length > maxHistoryLength) break;
    // Only here may a conversation begin: anywhere else a tool would answer a call that nobody sees.
    if (message.role === 'user') first = index;
  }
  return short.slice(first);
}

/** The same for the first messages of a turn that is under way; what was asked stays as it is. */
export function shortenEarly(messages: readonly Message[], count: number): Message[] {
  return messages
    .map((message, index) =>
      index < count ? shortenMessage(message, readAnswered(messages[index + 1])) : message,
    )
    .filter(({ content }) => content.length > 0);
}

/** The calls that a message of results answers. A turn may have failed before all were carried out. */
function readAnswered(results: Message | undefined): ReadonlySet<string> {
  if (results?.role !== 'tool') return new Set();
  return new Set(results.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])));
}

function shortenMessage(message: Message, answered: ReadonlySet<string>): Message {
  switch (message.role) {
    case 'assistant': {
      if (typeof message.content === 'string') return message;
      const content = message.content.flatMap((part): Exclude<typeof message.content, string> => {
        if (part.type === 'text') return [{ type: 'text', text: part.text }];
        if (part.type !== 'tool-call' || !answered.has(part.toolCallId)) return [];
        const { type, toolCallId, toolName, input } = part;
        return [{ type, toolCallId, toolName, input: shortenInput(input) }];
      });
      return { role: 'assistant', content };
    }
    case 'tool': {
      const content = message.content.flatMap((part): typeof message.content => {
        if (part.type !== 'tool-result' || !('value' in part.output)) return [];
        const { output } = part;
        return [{ ...part, output: { type: 'text', value: shorten(String(output.value)) } }];
      });
      return { role: 'tool', content };
    }
    case 'user':
    case 'system':
      return message;
    default:
      return message satisfies never;
  }
}

/** With at most so much of each result of a tool and of each input, for a model that reads no more. */
export function capTexts(messages: readonly Message[], cap: number): Message[] {
  const mark = '\n… (left out, as this model cannot read so much at once: ask for a part of it)';
  return messages.map((message) => {
    if (message.role === 'tool') {
      const content = message.content.map((part) =>
        part.type === 'tool-result' && (part.output.type === 'text' || part.output.type === 'error-text')
          ? { ...part, output: { ...part.output, value: excerpt(part.output.value, cap, mark) } }
          : part,
      );
      return { ...message, content };
    }
    if (message.role !== 'assistant' || typeof message.content === 'string') return message;
    const content = message.content.map((part) =>
      part.type === 'tool-call' && JSON.stringify(part.input ?? '').length > cap
        ? { ...part, input: shortenInput(part.input) }
        : part,
    );
    return { ...message, content };
  });
}

function shortenInput(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return {};
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, typeof value === 'string' ? shorten(value) : value]),
  );
}

function shorten(text: string): string {
  return excerpt(text, maxKeptLength, '… (left out)');
}
