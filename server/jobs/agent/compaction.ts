import { type Message, noteMessage, shortenEarly, userMessage } from './message.ts';

/** The newest messages, which the agent is at work on. */
const keptMessages = 6;
/** How much is left of what was too long, so that it is not done again soon, which would end what the provider has cached. */
const leftShare = 0.6;

const opening = 'What was done before this, in your own words:';

export function lengthOf(messages: readonly Message[]): number {
  return messages.reduce((length, message) => length + JSON.stringify(message).length, 0);
}

/** Without most of what tools were given and gave long ago, which can be asked for again. */
export function leaveOutResults(messages: readonly Message[], maxLength: number): Message[] {
  const end = messages.length - keptMessages;
  for (let early = Math.ceil(end / 4); early < end; early += Math.ceil(end / 4)) {
    const shorter = shortenEarly(messages, early);
    if (lengthOf(shorter) <= maxLength * leftShare) return shorter;
  }
  return shortenEarly(messages, end);
}

/** Has the agent sum up where that is not enough. */
export function askForSummary(messages: readonly Message[]): Message[] {
  return [
    ...messages,
    userMessage(
      'The conversation is getting too long to go on with. Do not call a tool now. Sum up for yourself, in at most 600 words: what was asked, what you found out and where, what you have changed, what is left to do, and whatever you must not forget.',
    ),
  ];
}

/** What stands for the conversation before it, which is kept for people and left out for the model. */
export function summarise(said: string): { text: string; message: Message } {
  // Some models call a tool all the same.
  const text = said || 'Nothing was summed up: the tool diff shows what was changed so far.';
  const message = noteMessage(
    `${opening}\n\n${text}\n\nGo on from there. Your changes to the files are made`,
  );
  return { text, message };
}

/** What the model is to see of a turn that was summed up: what was asked, and all since the newest summary. */
export function sinceSummary(messages: readonly Message[], asked: Message): Message[] | undefined {
  const start = messages.findLastIndex(isSummary);
  return start < 0 ? undefined : [asked, ...messages.slice(start)];
}

function isSummary({ role, content }: Message): boolean {
  return role === 'user' && typeof content === 'string' && content.includes(opening);
}
