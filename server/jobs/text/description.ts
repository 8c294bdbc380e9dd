import { sanitiseLine, sanitiseMarkdown } from './sanitising.ts';

const maxTitleLength = 70;
const maxSummaryLength = 8_000;
const maxPromptLength = 4_000;
const maxCommitBodyLength = 3_000;
const maxFiles = 100;
const lineWidth = 72;

export interface ListedFile {
  path: string;
  change: 'added' | 'edited' | 'deleted' | 'moved';
}

export interface FinishedTurn {
  /** The agent's own words: a title, an empty line, a summary. Of an unfinished one what it said last. May be empty. */
  summary: string;
  /** What stopped the agent before it was done. */
  unfinished?: string | undefined;
  files: readonly ListedFile[];
  prompt: string;
  /** As in settings: `provider/model`, or the name of the outside agent. */
  agent: string;
  jobId: string;
  /** 0 for the prompt that created the job. */
  turn: number;
  /** Takes secrets out, as createRedactor makes it. */
  redact: (text: string) => string;
}

/** The whole commit message, ending in the trailers that name job and turn. */
export function describeCommit(finished: FinishedTurn): string {
  const body = cut(sanitiseMarkdown(bodyOf(finished), finished.redact), maxCommitBodyLength);
  const trailers = `Headcount-Job: ${finished.jobId}\nHeadcount-Turn: ${finished.turn}`;
  return `${[titleOf(finished), ...(body === '' ? [] : [wrapLines(body)]), trailers].join('\n\n')}\n`;
}

export function describePullRequest(finished: FinishedTurn): { title: string; body: string } {
  const { files, prompt, agent, jobId, redact } = finished;
  const clean = (text: string) => sanitiseMarkdown(text, redact);
  // Cut last: half a secret would not be found.
  const quote = cut(clean(prompt), maxPromptLength);
  const sections = [
    cut(clean(bodyOf(finished)), maxSummaryLength),
    `### Files\n\n${listFiles(files, clean)}`,
    `### Request\n\n${quote.replace(/^/gm, '> ')}`,
    `---\nMade by a Headcount agent (${inCode(agent, clean)}) in job ${inCode(jobId, clean)}. Read it before you merge it.`,
  ];
  return { title: titleOf(finished), body: sections.filter((section) => section !== '').join('\n\n') };
}

function titleOf({ summary, unfinished, files, redact }: FinishedTurn): string {
  const title = unfinished === undefined ? sanitiseLine(summary, redact) : '';
  if (title !== '') return cut(title, maxTitleLength);
  const [first, ...others] = files;
  if (first === undefined) return 'Change nothing';
  const count = `${files.length} files`;
  return cut(sanitiseLine(`Change ${others.length === 0 ? first.path : count}`, redact), maxTitleLength);
}

/** What follows the title; all of it where the title had to be cut. */
function bodyOf({ summary, unfinished, redact }: FinishedTurn): string {
  const text = summary.trim();
  if (unfinished !== undefined) return describeUnfinished(text, unfinished);
  const [title = '', ...rest] = text.split('\n');
  return sanitiseLine(title, redact).length > maxTitleLength ? text : rest.join('\n').trim();
}

function describeUnfinished(lastWords: string, reason: string): string {
  const note = `**Not finished.** ${reason} This is what it had changed by then, without a look over the whole: what else the request asks for is left to do. A message to the job goes on from here.`;
  return lastWords === '' ? note : `${note}\n\nThe last words of the agent:\n\n${lastWords}`;
}

function listFiles(files: readonly ListedFile[], clean: (text: string) => string): string {
  const lines = files.slice(0, maxFiles).map(({ path, change }) => `- ${inCode(path, clean)} ${change}`);
  if (files.length > maxFiles) lines.push(`- and ${files.length - maxFiles} more`);
  return lines.join('\n');
}

function inCode(text: string, clean: (text: string) => string): string {
  return `\`${clean(text.replaceAll(/[`\n\r]/g, "'"))}\``;
}

/** At the end of a word, with an ellipsis. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const room = text.slice(0, maxLength - 1).toWellFormed();
  const atWord = room.replace(/\s+\S*$/, '');
  return `${atWord.length > maxLength / 2 ? atWord : room}…`;
}

function wrapLines(text: string): string {
  return text.replace(new RegExp(`(?=.{${lineWidth + 1}})(.{1,${lineWidth}})[ \\t]+`, 'g'), '$1\n');
}
