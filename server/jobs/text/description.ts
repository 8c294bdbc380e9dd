import type { Chapter, ChapterFile } from '../../store/jobs/job-turn.ts';
import { cut } from './cut.ts';
import { inCode, sanitiseLine, sanitiseMarkdown } from './markdown.ts';
import { type Sanitising, sanitiseMessage } from './sanitising.ts';

const maxTitleLength = 70;
const maxSummaryLength = 8_000;
const maxPromptLength = 4_000;
const maxCommitBodyLength = 3_000;
const maxFiles = 100;
const maxFindings = 20;
const maxFindingLength = 500;
const lineWidth = 72;

export interface FinishedTurn extends Chapter {
  files: readonly ChapterFile[];
  /** The base branch, where the turn brought it into its own. */
  merges?: string | undefined;
  /** Whether git took back what was merged, without the agent. */
  isRevert?: boolean;
  /** As in settings: `provider/model`, or the name of the outside agent. */
  agent: string;
  jobId: string;
  /** 0 for the prompt that created the job. */
  turn: number;
  sanitising: Sanitising;
}

/** Of a branch with what all its turns did. */
export interface FinishedBranch extends FinishedTurn {
  /** The turns before, oldest first. */
  earlier?: readonly Chapter[];
}

/** The whole commit message, ending in the trailers that name job and turn. */
export function describeCommit(finished: FinishedTurn): string {
  const { jobId, turn, sanitising } = finished;
  const body = cut(sanitiseMessage(bodyOf(finished, sanitising), sanitising), maxCommitBodyLength);
  const title = sanitiseMessage(titleOf(finished), sanitising);
  const trailers = `Headcount-Job: ${jobId}\nHeadcount-Turn: ${turn}`;
  const merged = describeMerge(finished, (name) => sanitiseMessage(name, sanitising));
  return `${[title, ...(body === '' ? [] : [wrapLines(body)]), ...merged, trailers].join('\n\n')}\n`;
}

export function describePullRequest(finished: FinishedBranch): { title: string; body: string } {
  const { earlier = [], files, findings, agent, isRevert, jobId, sanitising } = finished;
  const [first = finished, ...others] = [...earlier, finished];
  const each = maxSummaryLength / (others.length + 1);
  const sections = [
    sanitiseMarkdown(bodyOf(first, sanitising), sanitising, each),
    ...others.map((chapter) => describeChapter(chapter, sanitising, each)),
    ...warnOfSize(finished),
    `### Files\n\n${listFiles(files, sanitising)}`,
    ...describeFindings(findings, sanitising),
    `### Request\n\n${quotePrompts([first, ...others], sanitising)}`,
    `---\nMade by ${isRevert ? 'git, for Headcount' : `a Headcount agent (${inCode(agent, sanitising)})`} in job ${inCode(jobId, sanitising)}. Read it before you merge it.`,
  ];
  const title = titleOf({ ...finished, ...first });
  return { title, body: sections.filter((section) => section !== '').join('\n\n') };
}

/** Says in a comment what one turn did. */
export function describeTurn(finished: FinishedTurn, commit: string): string {
  const { files, findings, sanitising } = finished;
  const sections = [
    describeChapter(finished, sanitising, maxSummaryLength),
    ...describeMerge(finished, (name) => inCode(name, sanitising)),
    listFiles(files, sanitising),
    ...describeFindings(findings, sanitising),
    `---\n${signatureOf(finished)} in ${commit}.`,
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function describeMerge({ merges }: FinishedTurn, write: (name: string) => string): string[] {
  return merges === undefined ? [] : [`Merges ${write(merges)}, which had changed the same files.`];
}

/** By which the comment of a turn is found again. */
export function signatureOf({ jobId, turn }: Pick<FinishedTurn, 'jobId' | 'turn'>): string {
  return `Message ${turn} of job \`${jobId}\`,`;
}

function describeChapter(chapter: Chapter, sanitising: Sanitising, maxLength: number): string {
  const title = chapter.unfinished === undefined ? writeTitle(chapter.summary, sanitising) : '';
  const body = sanitiseMarkdown(bodyOf(chapter, sanitising), sanitising, maxLength);
  return [title === '' ? '' : `**${title}**`, body].filter((part) => part !== '').join('\n\n');
}

function titleOf({ summary, unfinished, files, sanitising }: FinishedTurn): string {
  const title = unfinished === undefined ? writeTitle(summary, sanitising) : '';
  if (title !== '') return title;
  const [first, ...others] = files;
  if (first === undefined) return 'Change nothing';
  return writeTitle(`Change ${others.length === 0 ? first.path : `${files.length} files`}`, sanitising);
}

/** Cut before it is cleaned, which may make it longer. */
function writeTitle(text: string, sanitising: Sanitising): string {
  let title = '';
  for (let max = maxTitleLength; max > 0; max -= title.length - maxTitleLength) {
    title = sanitiseLine(text, sanitising, max);
    if (title.length <= maxTitleLength) break;
  }
  return title;
}

/** What follows the title; all of it where the title had to be cut. */
function bodyOf({ summary, unfinished }: Chapter, sanitising: Sanitising): string {
  const text = summary.trim();
  if (unfinished !== undefined) return describeUnfinished(text, unfinished);
  const [title = '', ...rest] = text.split('\n');
  return sanitiseLine(title, sanitising).length > maxTitleLength ? text : rest.join('\n').trim();
}

function describeUnfinished(lastWords: string, reason: string): string {
  const note = `**Not finished.** ${reason} This is what it had changed by then, without a look over the whole: what else the request asks for is left to do. A message to the job goes on from here.`;
  return lastWords === '' ? note : `${note}\n\nThe last words of the agent:\n\n${lastWords}`;
}

/** Above this hardly anybody merges what an agent made. */
const usualSize = { files: 4, lines: 60 };

/** Of files that the requests do not name. */
function warnOfSize({ files, prompt, isRevert, earlier = [] }: FinishedBranch): string[] {
  if (isRevert) return [];
  const asked = [...earlier.map((chapter) => chapter.prompt), prompt].join('\n').toLowerCase();
  const isAsked = ({ path }: ChapterFile) =>
    asked.includes(path.slice(path.lastIndexOf('/') + 1).toLowerCase());
  const others = files.filter((file) => !isAsked(file));
  const lines = others.reduce((sum, file) => sum + (file.lines ?? 0), 0);
  if (others.length <= usualSize.files && lines <= usualSize.lines) return [];
  return [
    `> **Larger than usual.** It changes ${count(others.length, 'file')} that the request does not name, with ${count(lines, 'line')}. See whether all of it was asked for, or ask for it in parts.`,
  ];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function listFiles(files: readonly ChapterFile[], sanitising: Sanitising): string {
  const lines = files.slice(0, maxFiles).map(({ path, change }) => `- ${inCode(path, sanitising)} ${change}`);
  if (files.length > maxFiles) lines.push(`- and ${files.length - maxFiles} more`);
  return lines.join('\n');
}

/** They quote what stands in the repository. */
function describeFindings(findings: readonly string[] = [], sanitising: Sanitising): string[] {
  if (findings.length === 0) return [];
  const lines = findings
    .slice(0, maxFindings)
    .map((finding) => `- ${inCode(cut(finding, maxFindingLength), sanitising)}`);
  if (findings.length > maxFindings) lines.push(`- and ${findings.length - maxFindings} more`);
  const what = 'The checks of this change found this, and the agent left it:';
  return [[`### Left to put right`, '', what, '', ...lines].join('\n')];
}

function quotePrompts(chapters: readonly Chapter[], sanitising: Sanitising): string {
  const each = maxPromptLength / chapters.length;
  const quotes = chapters.map(({ prompt }) =>
    sanitiseMarkdown(prompt, sanitising, each).replace(/^/gm, '> '),
  );
  return quotes.join('\n\nThen:\n\n');
}

function wrapLines(text: string): string {
  return text.replace(new RegExp(`(?=.{${lineWidth + 1}})(.{1,${lineWidth}})[ \\t]+`, 'g'), '$1\n');
}
